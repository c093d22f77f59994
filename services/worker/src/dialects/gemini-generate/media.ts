import type { MediaPart } from '@model-gateway/canonical';
import { mediaTypeOf } from '../media-type.ts';
import { type Part, refuse } from './content.ts';

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
