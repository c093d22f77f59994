import {
  type AssistantPart,
  type MediaPart,
  type MediaSource,
  type OpaquePart,
  type ReasoningPart,
  readSignature,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type UserPart,
} from '@model-gateway/canonical';
import type { GenerateContentFunctionCall, GenerateContentPart } from '@model-gateway/wire';
import { invalid } from '../check.ts';

interface Placed {
  part: GenerateContentPart;
  path: string;
}

export function userPart({ part, path }: Placed): UserPart {
  if (typeof part.text === 'string') return { type: 'text', text: part.text };
  return part.inlineData || part.fileData ? mediaPart(part, path) : opaquePart(part);
}

/**
 * What the model said: the pieces of a stream are joined as far as nobody signed them. A signature of another vendor's
 * belongs to the thoughts before the part on which it stands.
 */
export function modelParts(placed: readonly Placed[]): AssistantPart[] {
  const parts: AssistantPart[] = [];
  for (const { part, path } of placed) {
    const signature = readSignature(part.thoughtSignature, own);
    // A call is one even where it is marked as a thought: its result follows.
    if (part.thought && !part.functionCall) addThought(parts, part, signature);
    else {
      if (signature && signature.format !== own) signThought(parts, signature);
      const made = modelPart({ part, path }, signature?.format === own ? signature : undefined);
      if (made.type === 'text') addText(parts, made);
      else parts.push(made);
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
  const proof = signature && { signature };
  if (functionCall) return toolCall(functionCall, path, proof);
  if (inlineData || fileData) return mediaPart(part, path);
  const isText =
    typeof text === 'string' || !Object.values(part).some(value => typeof value === 'object' && value);
  return isText ? { type: 'text', text: text ?? '', ...proof } : opaquePart(part);
}

/** Without an id it has that of its place: the same each time that the history is sent. */
function toolCall(
  { id, name, args }: GenerateContentFunctionCall,
  path: string,
  proof?: { signature: Signature },
): ToolCallPart {
  const place = `call_${path.replace(/\D+/g, '_').replace(/^_|_$/g, '')}`;
  return { type: 'tool-call', id: id || place, name, arguments: JSON.stringify(args ?? {}), ...proof };
}

function addText(parts: AssistantPart[], part: TextPart): void {
  const last = parts.at(-1);
  if (part.text === '' && !part.signature) return;
  if (last?.type === 'text' && !last.signature && !part.signature) last.text += part.text;
  else parts.push(part);
}

/** A thought without even a text is one that its vendor does not show. */
function addThought(
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

function signThought(parts: AssistantPart[], signature: Signature): void {
  const last = parts.at(-1);
  if (last?.type === 'reasoning' && !last.signature) last.signature = signature;
  else parts.push({ type: 'reasoning', text: '', signature });
}

function opaquePart(part: GenerateContentPart): OpaquePart {
  return { type: 'opaque', format: own, value: part };
}

type GenerateContentMedia = Pick<GenerateContentPart, 'inlineData' | 'fileData'>;
type Media = Pick<MediaPart, 'kind' | 'source' | 'mediaType' | 'name'>;

/** Media as bytes, as a link, or as a file that lies with the vendor. @throws GatewayError for what no other format has */
export function mediaPart({ inlineData, fileData }: GenerateContentMedia, path: string): MediaPart {
  if (inlineData) return { type: 'media', ...inline(inlineData, `${path}.inlineData`) };
  if (fileData) return { type: 'media', ...linked(fileData, `${path}.fileData`) };
  throw invalid(path, 'it has neither inlineData nor fileData');
}

function inline(
  { mimeType, data, displayName }: NonNullable<GenerateContentMedia['inlineData']>,
  path: string,
): Media {
  const mediaType = properType(mimeType);
  const base64 = standard(data);
  const source: MediaSource = mediaType.startsWith('text/')
    ? { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') }
    : { type: 'base64', data: base64 };
  return { kind: kindOf(mediaType, path), source, mediaType, ...(displayName && { name: displayName }) };
}

function linked({ mimeType, fileUri }: NonNullable<GenerateContentMedia['fileData']>, path: string): Media {
  const mediaType = mimeType ? properType(mimeType) : undefined;
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

/** Whether a file is one of the vendor's, which nobody else can read. */
function isStored(uri: string): boolean {
  return !/^https?:/i.test(uri) || /^https:\/\/generativelanguage\.googleapis\.com\//i.test(uri);
}

function kindOf(mediaType: string, path: string): MediaPart['kind'] {
  const [kind] = mediaType.split('/');
  if (kind === 'video') throw noVideo(path);
  return kind === 'image' || kind === 'audio' ? kind : 'document';
}

function noVideo(path: string) {
  return invalid(path, "this model's provider takes no video");
}

function properType(mimeType: string): string {
  const type = mimeType.trim().toLowerCase();
  return type === 'image/jpg' ? 'image/jpeg' : type;
}

/** Base64 as other formats have it: this one takes the other alphabet, too, and no padding. */
function standard(data: string): string {
  const same = data.replaceAll('-', '+').replaceAll('_', '/');
  return same.endsWith('=') ? same : same.padEnd(Math.ceil(same.length / 4) * 4, '=');
}
