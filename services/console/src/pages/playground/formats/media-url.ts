import type { MediaPart } from '../conversation/part.ts';

/** Makes an image of a data URL; undefined for a link, which the page may not load. */
export function mediaFromUrl(url: string): MediaPart | undefined {
  const [, mediaType, data] = /^data:(image\/[\w.+-]+);base64,(.+)$/s.exec(url) ?? [];
  return mediaType && data ? imagePart(mediaType, data) : undefined;
}

/** Makes a file that a model made; `data` is base64. */
export function imagePart(mediaType: string, data: string): MediaPart {
  const kind = mediaType.startsWith('audio/')
    ? 'audio'
    : mediaType.startsWith('image/')
      ? 'image'
      : 'document';
  return { type: 'media', kind, name: `${kind}.${mediaType.split('/')[1] ?? 'bin'}`, mediaType, data };
}
