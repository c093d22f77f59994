import { GatewayError, type MediaPart } from '@model-gateway/canonical';
import type { ChatUserPart, ResponsesPart } from '@model-gateway/wire';
import { encodeMedia as encodeChatMedia, isEncodable } from '../encode-openai-media.ts';
import { mediaTypeOf } from '../media-type.ts';

/** A medium in a user's message. @throws GatewayError of kind `invalid-request` for what the format has no place for */
export function encodeMedia(part: MediaPart): ResponsesPart {
  const encoded = mediaPart(part);
  if (encoded) return encoded;
  const what = part.source.type === 'file' ? 'files stored at another provider' : `${part.kind} by URL`;
  throw new GatewayError(
    'invalid-request',
    `Unsupported value for 'input': this model's provider does not take ${what}.`,
    { param: 'input', code: 'unsupported_value' },
  );
}

/** Undefined for what the format has no place for. */
export function mediaPart(given: MediaPart): ResponsesPart | undefined {
  const part = asPicture(given);
  const { kind, source } = part;
  if (source.type === 'file') return isOwnFile(source) ? stored(kind, source.id) : undefined;
  if (source.type === 'url' && kind === 'document') return { type: 'input_file', file_url: source.url };
  // All else the vendor takes here as it does in a chat.
  return isEncodable(part) ? asPart(encodeChatMedia(part)) : undefined;
}

/** What a client sends as a file may be a picture. */
function asPicture(part: MediaPart): MediaPart {
  const isPicture = part.kind === 'document' && mediaTypeOf(part)?.startsWith('image/');
  return isPicture ? { ...part, kind: 'image' } : part;
}

/** Both of the vendor's formats know its files. */
function isOwnFile({ format }: { format: string }): boolean {
  return format === 'responses' || format === 'chat';
}

function stored(kind: MediaPart['kind'], id: string): ResponsesPart | undefined {
  switch (kind) {
    case 'image':
      return { type: 'input_image', file_id: id };
    case 'document':
      return { type: 'input_file', file_id: id };
    case 'audio':
      return undefined;
  }
}

function asPart(part: ChatUserPart): ResponsesPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url':
      return { type: 'input_image', image_url: part.image_url.url };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio };
    case 'file':
      return { type: 'input_file', ...part.file };
  }
}
