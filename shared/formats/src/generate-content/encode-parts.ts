import type {
  AssistantPart,
  MediaPart,
  OpaquePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  UserPart,
} from '@model-gateway/canonical';
import { textOfBase64 } from '#bytes';
import { mediaTypeOf } from '../upstream/encode-media.ts';
import { forwarded, opaqueText } from '../upstream/request-body.ts';
import { toolInput } from '../upstream/tools.ts';
import { refuse } from '../upstream/unsupported.ts';
import { functionName, idField } from './names.ts';
import type { GenerateContentMediaParam, GenerateContentPartParam } from './parts.ts';
import { signatureField } from './sanitize-history.ts';

/** Writes text parts without empty texts, which the vendor refuses. */
export function textParts(parts: readonly { text: string }[]): { text: string }[] {
  return parts.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

export function userParts(parts: readonly UserPart[]): GenerateContentPartParam[] {
  return parts.flatMap(userPart);
}

function userPart(part: UserPart): GenerateContentPartParam[] {
  switch (part.type) {
    case 'text':
      return textParts([part]);
    case 'media':
      return [mediaPart(part)];
    case 'opaque':
      return [opaquePart(part)];
  }
}

/**
 * Writes a model turn. Clients without a signature field on calls keep the signature on the reasoning before
 * it: it moves back to the call or text that follows. The vendor does not need unsigned reasoning.
 */
export function modelParts(content: readonly AssistantPart[]): GenerateContentPartParam[] {
  const parts: GenerateContentPartParam[] = [];
  let reasoning: GenerateContentPartParam | undefined;
  for (const part of content) {
    if (part.type === 'reasoning') {
      const next = reasoningPart(part);
      if (reasoning && next) parts.push(reasoning);
      reasoning = next ?? reasoning;
      continue;
    }
    for (const written of modelPart(part)) {
      if (reasoning) written.thoughtSignature ??= reasoning.thoughtSignature;
      reasoning = undefined;
      parts.push(written);
    }
  }
  const known = parts.some(({ thoughtSignature }) => thoughtSignature === reasoning?.thoughtSignature);
  return reasoning && !known ? [...parts, reasoning] : parts;
}

/** Writes reasoning; undefined if this vendor did not sign it. */
function reasoningPart({ text, signature }: ReasoningPart): GenerateContentPartParam | undefined {
  const signed = signatureField(signature);
  return signed.thoughtSignature ? { text, thought: text ? true : undefined, ...signed } : undefined;
}

function modelPart(part: Exclude<AssistantPart, ReasoningPart>): GenerateContentPartParam[] {
  switch (part.type) {
    case 'text':
      return textPart(part);
    case 'refusal':
      return textParts([part]);
    case 'tool-call':
      return [callPart(part)];
    case 'media':
    case 'opaque':
      return userPart(part);
  }
}

function textPart({ text, signature }: TextPart): GenerateContentPartParam[] {
  const signed = signatureField(signature);
  return text === '' && !signed.thoughtSignature ? [] : [{ text, ...signed }];
}

function callPart(part: ToolCallPart): GenerateContentPartParam {
  const { id, name, signature } = part;
  return {
    functionCall: { ...idField(id), name: functionName(name), args: toolInput(part) },
    ...signatureField(signature),
  };
}

function opaquePart(part: OpaquePart): GenerateContentPartParam {
  return part.format === 'generate-content' ? forwarded(part.value) : { text: opaqueText(part) };
}

/** Writes media inline or by URL. @throws GatewayError for media that this format does not support */
export function mediaPart(part: MediaPart): GenerateContentMediaParam {
  const { source, name } = part;
  switch (source.type) {
    case 'text':
      return { text: titled(name, source.text) };
    case 'url':
      return fileAt(source.url, part);
    case 'file':
      if (source.format === 'generate-content') return fileAt(source.id, part);
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
    case 'base64':
      return inline(source.data, part);
  }
}

/** True if the part is sent as media, false if as text. */
export function isSentAsMedia({ source }: MediaPart): boolean {
  return source.type !== 'text';
}

function fileAt(fileUri: string, { mediaType }: MediaPart): GenerateContentMediaParam {
  return { fileData: { mimeType: mediaType ? mimeType(mediaType) : undefined, fileUri } };
}

function inline(data: string, part: MediaPart): GenerateContentMediaParam {
  const mediaType = mediaTypeOf(part);
  if (!mediaType) {
    const what = part.name ? `the file '${part.name}'` : `the ${part.kind}`;
    return refuse('messages', `The media type of ${what} is missing: send it as a data URL.`);
  }
  if (mediaType.startsWith('text/')) return { text: titled(part.name, textOfBase64(data)) };
  return { inlineData: { mimeType: mimeType(mediaType), data } };
}

function mimeType(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
}

function titled(name: string | undefined, text: string): string {
  return name ? `${name}\n\n${text}` : text;
}
