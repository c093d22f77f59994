import type { MediaPart } from '@model-gateway/canonical';

/** A picture that the model made. */
export function decodeImage(url: string): MediaPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType && data) return { type: 'media', kind: 'image', source: { type: 'base64', data }, mediaType };
  return { type: 'media', kind: 'image', source: { type: 'url', url } };
}
