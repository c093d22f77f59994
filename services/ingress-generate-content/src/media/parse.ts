import type { MediaPart, MediaSource } from '@model-gateway/canonical';
import type { GooglePart } from '@model-gateway/wire';
import { invalid } from '../check.ts';

type GoogleMedia = Pick<GooglePart, 'inlineData' | 'fileData'>;
type Media = Pick<MediaPart, 'kind' | 'source' | 'mediaType' | 'name'>;

/** Media as bytes, as a link, or as a file that lies with the vendor. @throws GatewayError for what no other format has */
export function mediaPart({ inlineData, fileData }: GoogleMedia, path: string): MediaPart {
  if (inlineData) return { type: 'media', ...inline(inlineData, `${path}.inlineData`) };
  if (fileData) return { type: 'media', ...linked(fileData, `${path}.fileData`) };
  throw invalid(path, 'it has neither inlineData nor fileData');
}

function inline(
  { mimeType, data, displayName }: NonNullable<GoogleMedia['inlineData']>,
  path: string,
): Media {
  const mediaType = properType(mimeType);
  const base64 = standard(data);
  const source: MediaSource = mediaType.startsWith('text/')
    ? { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') }
    : { type: 'base64', data: base64 };
  return { kind: kindOf(mediaType, path), source, mediaType, ...(displayName && { name: displayName }) };
}

function linked({ mimeType, fileUri }: NonNullable<GoogleMedia['fileData']>, path: string): Media {
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
