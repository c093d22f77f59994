import type { GatewayError, MediaPart } from '@model-gateway/canonical';
import { textOfBase64 } from '#bytes';
import type { ChatPartParam } from '../chat/turns.ts';
import { asHeld } from './encode-media-type.ts';
import { unsupported } from './unsupported.ts';

/** Encodes media in a user message. @throws GatewayError of kind `invalid-request` for unsupported media */
export function encodeMedia(media: MediaPart): ChatPartParam {
  const part = asHeld(media);
  const { source } = part;
  if (source.type === 'text') return { type: 'text', text: documentText(part, source.text) };
  if (source.type === 'file') return encodeStored(part, source);
  switch (part.kind) {
    case 'image':
      return {
        type: 'image_url',
        image_url: { url: source.type === 'url' ? source.url : dataUrl(part, source.data) },
      };
    case 'audio':
      if (source.type === 'url') throw refused('audio by URL');
      return { type: 'input_audio', input_audio: { data: source.data, format: audioFormat(part.mediaType) } };
    case 'document':
      if (source.type === 'url') throw refused('documents by URL');
      return encodeDocument(part, source.data);
  }
}

/** True if media can be encoded in a user message. */
export function isEncodable({ kind, source }: MediaPart): boolean {
  if (source.type === 'file') return source.format === 'chat' && kind === 'document';
  return source.type !== 'url' || kind === 'image';
}

/** Returns a plain-text document with its title in front. */
export function documentText({ name }: MediaPart, text: string): string {
  return name ? `${name}\n\n${text}` : text;
}

function encodeDocument(part: MediaPart, data: string): ChatPartParam {
  const { mediaType } = part;
  if (mediaType?.startsWith('text/')) return { type: 'text', text: documentText(part, textOfBase64(data)) };
  const filename = fileName(part.name ?? 'document', mediaType);
  return { type: 'file', file: { file_data: dataUrl(part, data), filename } };
}

/** Adds the extension that a title lacks: the vendor recognizes files by extension. */
function fileName(name: string, mediaType: string | undefined): string {
  return mediaType === 'application/pdf' && !/\.\w{1,8}$/.test(name) ? `${name}.pdf` : name;
}

function encodeStored({ kind }: MediaPart, { id, format }: { id: string; format: string }): ChatPartParam {
  if (format !== 'chat' || kind !== 'document') throw refused('files stored at another provider');
  return { type: 'file', file: { file_id: id } };
}

const defaultTypes = { image: 'image/png', audio: 'audio/wav', document: 'application/pdf' } as const;

type Typed = Pick<MediaPart, 'kind'> & { mediaType?: string | undefined };

function dataUrl({ kind, mediaType = defaultTypes[kind] }: Typed, data: string): string {
  return `data:${mediaType};base64,${data}`;
}

/** Returns the format's short name of an audio type: `mp3` for `audio/mpeg`, `wav` for `audio/x-wav`. */
function audioFormat(mediaType = 'audio/wav'): string {
  const name = mediaType.slice(mediaType.indexOf('/') + 1).replace(/^(x-|vnd\.)/, '');
  return name === 'mpeg' ? 'mp3' : name === 'wave' ? 'wav' : name;
}

function refused(what: string): GatewayError {
  return unsupported('messages', `this model's provider does not take ${what}`);
}
