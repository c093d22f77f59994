import type { MediaPart } from '@model-gateway/canonical';
import type { ChatPartParam } from '../chat/turns.ts';
import { asHeld } from '../upstream/encode-media-type.ts';
import { encodeMedia as encodeChatMedia, isEncodable } from '../upstream/encode-openai-media.ts';
import { unsupported } from '../upstream/unsupported.ts';
import type { ResponsesPartParam } from './input.ts';

/** Writes media of a user message. @throws GatewayError of kind `invalid-request` for unsupported media */
export function encodeMedia(part: MediaPart): ResponsesPartParam {
  const encoded = mediaPart(part);
  if (encoded) return encoded;
  const what = part.source.type === 'file' ? 'files stored at another provider' : `${part.kind} by URL`;
  throw unsupported('messages', `this model's provider does not take ${what}`);
}

/** Writes media; undefined if the format does not support it. */
export function mediaPart(media: MediaPart): ResponsesPartParam | undefined {
  const part = asHeld(media);
  const { kind, source } = part;
  if (source.type === 'file') return isVendorFile(source) ? filePart(kind, source.id) : undefined;
  if (source.type === 'url' && kind === 'document') return { type: 'input_file', file_url: source.url };
  // Everything else is the same as in the chat format.
  return isEncodable(part) ? asPart(encodeChatMedia(part)) : undefined;
}

/** True for a file stored at the vendor, through either of its formats. */
function isVendorFile({ format }: { format: string }): boolean {
  return format === 'responses' || format === 'chat';
}

function filePart(kind: MediaPart['kind'], id: string): ResponsesPartParam | undefined {
  switch (kind) {
    case 'image':
      return { type: 'input_image', file_id: id };
    case 'document':
      return { type: 'input_file', file_id: id };
    case 'audio':
      return undefined;
  }
}

function asPart(part: ChatPartParam): ResponsesPartParam {
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
