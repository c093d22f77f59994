import type {
  AssistantPart,
  MediaPart,
  MediaSource,
  OpaquePart,
  ReasoningPart,
  Signature,
  TextPart,
  ToolCallPart,
  UserPart,
} from '@model-gateway/canonical';
import { typeOfBytes, withoutLineEnds } from '../values/media.ts';
import { readSignature } from '../values/signatures.ts';
import { invalid } from './check.ts';
import type { GenerateContentFunctionCall, GenerateContentPart } from './parts.ts';

interface Placed {
  part: GenerateContentPart;
  path: string;
}

export function userPart({ part, path }: Placed): UserPart {
  if (typeof part.text === 'string') return { type: 'text', text: part.text };
  return part.inlineData || part.fileData ? mediaPart(part, path) : opaquePart(part);
}

/**
 * Parses the parts of a model turn. Consecutive unsigned texts, the pieces of a stream, are joined. A
 * signature of another vendor belongs to the reasoning before the part that carries it.
 */
export function modelParts(placed: readonly Placed[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const { part, path } of placed) {
    const signature = readSignature(part.thoughtSignature, own);
    // A call counts as a call even if it is marked as a thought, since its result follows.
    if (part.thought && !part.functionCall) addReasoning(parts, part, signature);
    else {
      if (signature && signature.format !== own) signReasoning(parts, signature);
      const parsed = modelPart({ part, path }, signature?.format === own ? signature : undefined);
      if (parsed.type === 'text') addText(parts, parsed);
      else parts.push(parsed);
    }
  }
  return parts;
}

const own = 'generate-content';

function modelPart(
  { part, path }: Placed,
  signature: Signature | undefined,
): Exclude<AssistantPart, ReasoningPart> {
  const { text, functionCall, inlineData, fileData } = part;
  const signed = signature && { signature };
  if (functionCall) return toolCall(functionCall, path, signed);
  if (inlineData || fileData) return mediaPart(part, path);
  const isText =
    typeof text === 'string' || !Object.values(part).some(value => typeof value === 'object' && value);
  return isText ? { type: 'text', text: text ?? '', ...signed } : opaquePart(part);
}

/** Parses a call. A missing id is derived from the call's position, so it is stable across requests. */
function toolCall(
  { id, name, args }: GenerateContentFunctionCall,
  path: string,
  signed?: { signature: Signature },
): ToolCallPart {
  const place = `call_${path.replace(/\D+/g, '_').replace(/^_|_$/g, '')}`;
  return { type: 'tool-call', id: id || place, name, arguments: JSON.stringify(args ?? {}), ...signed };
}

function addText(parts: AssistantPart[], part: TextPart): void {
  const last = parts.at(-1);
  if (part.text === '' && !part.signature) return;
  if (last?.type === 'text' && !last.signature && !part.signature) last.text += part.text;
  else parts.push(part);
}

/** Adds reasoning. A signature of another vendor without a text field is redacted reasoning. */
function addReasoning(
  parts: AssistantPart[],
  { text }: GenerateContentPart,
  signature: Signature | undefined,
): void {
  const redacted = typeof text !== 'string' && signature && signature.format !== own;
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && !last.signature && !redacted) {
    last.text += text ?? '';
    if (signature) last.signature = signature;
  } else if (text || signature) {
    const hidden = redacted ? { redacted } : {};
    parts.push({ type: 'reasoning', text: text ?? '', ...hidden, ...(signature && { signature }) });
  }
}

/** Signs the last reasoning part, or adds an empty one. */
function signReasoning(parts: AssistantPart[], signature: Signature): void {
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && !last.signature) last.signature = signature;
  else parts.push({ type: 'reasoning', text: '', signature });
}

function opaquePart(part: GenerateContentPart): OpaquePart {
  return { type: 'opaque', format: own, value: part };
}

type GenerateContentMedia = Pick<GenerateContentPart, 'inlineData' | 'fileData'>;
type Media = Pick<MediaPart, 'kind' | 'source' | 'mediaType' | 'name'>;

/** Parses media as bytes, a link, or a file stored at the vendor. @throws GatewayError for video */
export function mediaPart({ inlineData, fileData }: GenerateContentMedia, path: string): MediaPart {
  if (inlineData) return { type: 'media', ...inline(inlineData, `${path}.inlineData`) };
  if (fileData) return { type: 'media', ...linked(fileData, `${path}.fileData`) };
  throw invalid(path, 'it has neither inlineData nor fileData');
}

function inline(
  { mimeType, data, displayName }: NonNullable<GenerateContentMedia['inlineData']>,
  path: string,
): Media {
  const mediaType = normalType(mimeType);
  const base64 = standard(data);
  const isText = mediaType.startsWith('text/') && !typeOfBytes(base64);
  const source: MediaSource = isText
    ? { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') }
    : { type: 'base64', data: base64 };
  return { kind: kindOf(mediaType, path), source, mediaType, ...(displayName && { name: displayName }) };
}

function linked({ mimeType, fileUri }: NonNullable<GenerateContentMedia['fileData']>, path: string): Media {
  const mediaType = mimeType ? normalType(mimeType) : undefined;
  if (/^https?:\/\/([\w-]+\.)?(youtube\.com|youtu\.be)\//i.test(fileUri)) throw noVideo(path);
  const kind = mediaType
    ? kindOf(mediaType, path)
    : /\.(png|jpe?g|gif|webp)([?#]|$)/i.test(fileUri)
      ? 'image'
      : 'document';
  const source: MediaSource = isStored(fileUri)
    ? { type: 'file', id: fileUri, format: 'generate-content' }
    : { type: 'url', url: fileUri };
  return { kind, source, ...(mediaType && { mediaType }) };
}

/** True for a file stored at the vendor, which only the vendor can read. */
function isStored(uri: string): boolean {
  return !/^https?:/i.test(uri) || /^https:\/\/generativelanguage\.googleapis\.com\//i.test(uri);
}

function kindOf(mediaType: string, path: string): MediaPart['kind'] {
  const [kind] = mediaType.split('/');
  if (kind === 'video') throw noVideo(path);
  return kind === 'image' || kind === 'audio' ? kind : 'document';
}

function noVideo(path: string) {
  return invalid(path, "this model's provider does not support video");
}

function normalType(mimeType: string): string {
  const type = mimeType.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

/**
 * Converts base64 to the standard alphabet with padding. This format also accepts URL-safe and unpadded
 * base64.
 */
function standard(data: string): string {
  const same = withoutLineEnds(data).replaceAll('-', '+').replaceAll('_', '/');
  return same.endsWith('=') ? same : same.padEnd(Math.ceil(same.length / 4) * 4, '=');
}
