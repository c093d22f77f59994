import type { GatewayError, MediaPart } from '@model-gateway/canonical';
import { textOfBase64 } from '#bytes';
import type { ChatPartParam } from '../chat/request.ts';
import { contradictedType } from '../values/media.ts';
import { unsupported } from './request-body.ts';

const textNames =
  /\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|xml|html?|css|log|[cm]?[jt]sx?|py|rb|go|rs|java|c|h|cpp|sh|sql|toml|ini)$/i;

/** Returns the media type: by the first bytes if they are known, else as declared, else by the file extension. */
export function mediaTypeOf({ mediaType, source, name = '' }: MediaPart): string | undefined {
  if (source.type !== 'base64') return mediaType;
  const type = contradictedType(mediaType, source.data) ?? mediaType;
  if (type) return type;
  if (/\.pdf$/i.test(name)) return 'application/pdf';
  return textNames.test(name) ? 'text/plain' : undefined;
}

/** Returns media as what its bytes are: clients send images as files, and label files wrongly. */
export function asHeld(part: MediaPart): MediaPart {
  const mediaType = mediaTypeOf(part);
  const kind = kindOf(mediaType) ?? part.kind;
  if (mediaType === undefined || (mediaType === part.mediaType && kind === part.kind)) return part;
  return { ...part, kind, mediaType };
}

function kindOf(mediaType = ''): MediaPart['kind'] | undefined {
  if (mediaType.startsWith('image/')) return 'image';
  if (mediaType.startsWith('audio/')) return 'audio';
  return mediaType === 'application/pdf' ? 'document' : undefined;
}

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
