import {
  type AssistantPart,
  type MediaPart,
  type OpaquePart,
  parseExact,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type UserPart,
} from '@model-gateway/canonical';
import { mediaTypeOf } from '../media-type.ts';
import { opaqueText } from '../opaque-text.ts';
import { type Part, refuse } from './content.ts';
import { functionName, givenId } from './names.ts';
import { proofOf } from './sanitize-history.ts';

/** Empty texts say nothing, and are refused. */
export function textParts(parts: readonly { text: string }[]): Part[] {
  return parts.filter(({ text }) => text !== '').map(({ text }) => ({ text }));
}

export function userParts(parts: readonly UserPart[]): Part[] {
  return parts.flatMap(userPart);
}

function userPart(part: UserPart): Part[] {
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
 * What the model said. Formats that have no place for a signature in a call keep it in reasoning just before: it goes
 * back to the call, or the text, that follows. Other reasoning stays away: the vendor needs none of it.
 */
export function modelParts(content: readonly AssistantPart[]): Part[] {
  const parts: Part[] = [];
  let proof: Part | undefined;
  for (const part of content) {
    if (part.type === 'reasoning') {
      const next = thoughtPart(part);
      if (proof && next) parts.push(proof);
      proof = next ?? proof;
      continue;
    }
    for (const made of modelPart(part)) {
      if (proof) made.thoughtSignature ??= proof.thoughtSignature;
      proof = undefined;
      parts.push(made);
    }
  }
  const known = parts.some(({ thoughtSignature }) => thoughtSignature === proof?.thoughtSignature);
  return proof && !known ? [...parts, proof] : parts;
}

/** Undefined for thoughts that this vendor did not sign. */
function thoughtPart({ text, signature }: ReasoningPart): Part | undefined {
  const proof = proofOf(signature);
  return proof.thoughtSignature ? { text, ...(text && { thought: true }), ...proof } : undefined;
}

function modelPart(part: Exclude<AssistantPart, ReasoningPart>): Part[] {
  switch (part.type) {
    case 'text':
      return spoken(part);
    case 'refusal':
      return textParts([part]);
    case 'tool-call':
      return [callPart(part)];
    case 'media':
    case 'opaque':
      return userPart(part);
  }
}

function spoken({ text, signature }: TextPart): Part[] {
  const proof = proofOf(signature);
  return text === '' && !proof.thoughtSignature ? [] : [{ text, ...proof }];
}

function callPart(part: ToolCallPart): Part {
  const { id, name, signature } = part;
  const functionCall = { ...givenId(id), name: functionName(name), args: argumentsOf(part) };
  return { functionCall, ...proofOf(signature) };
}

function opaquePart(part: OpaquePart): Part {
  return part.format === 'generate-content' ? { ...part.value } : { text: opaqueText(part) };
}

/** A medium in the request itself, or by its address. @throws GatewayError for what this format cannot hold */
export function mediaPart(part: MediaPart): Part {
  const { source, name } = part;
  switch (source.type) {
    case 'text':
      return { text: titled(name, source.text) };
    case 'url':
      return fileAt(source.url, part);
    case 'file':
      if (source.format === 'generate-content') return fileAt(source.id, part);
      return refuse('contents', `The file '${source.id}' is stored with another vendor than this model's.`);
    case 'base64':
      return inline(source.data, part);
  }
}

/** Whether a medium is sent as such; else it is sent as text. */
export function isShown({ source }: MediaPart): boolean {
  return source.type !== 'text';
}

function fileAt(fileUri: string, { mediaType }: MediaPart): Part {
  return { fileData: { ...(mediaType && { mimeType: mimeType(mediaType) }), fileUri } };
}

function inline(data: string, part: MediaPart): Part {
  const mediaType = mediaTypeOf(part);
  if (!mediaType) {
    const what = part.name ? `the file '${part.name}'` : `the ${part.kind}`;
    return refuse('contents', `The media type of ${what} is missing: send it as a data URL.`);
  }
  if (mediaType.startsWith('text/'))
    return { text: titled(part.name, Buffer.from(data, 'base64').toString('utf8')) };
  return { inlineData: { mimeType: mimeType(mediaType), data } };
}

function mimeType(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
}

function titled(name: string | undefined, text: string): string {
  return name ? `${name}\n\n${text}` : text;
}

/**
 * A call's arguments as the object that this format wants, its numbers as they were.
 * @throws GatewayError that names a call with broken ones
 */
export function argumentsOf({ id, name, arguments: text, custom }: ToolCallPart): Record<string, unknown> {
  if (custom) return { input: text };
  if (text.trim() === '') return {};
  const value = parse(text, id, name);
  if (value === null) return {};
  // A number that is kept as its text is an object, too, but not written as one.
  return text.trimStart().startsWith('{') ? (value as Record<string, unknown>) : { value };
}

function parse(text: string, id: string, name: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return refuse('contents', `The arguments of the call '${id}' of the tool '${name}' are not valid JSON.`);
  }
}
