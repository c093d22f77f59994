import type { MediaPart } from '@model-gateway/canonical';
import { type Block, cacheMark, refuse } from './block.ts';

/** An image or a document. @throws GatewayError for what this format cannot hold */
export function mediaBlock(part: MediaPart): Block {
  const { kind, name, cache } = part;
  if (kind === 'audio') return refuse('messages', 'This model takes no audio.');
  const title = kind === 'document' && name ? { title: name } : {};
  return { type: kind, source: source(part), ...title, ...cacheMark(cache) };
}

function source({ kind, source, mediaType }: MediaPart): Record<string, unknown> {
  switch (source.type) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      if (source.format === 'messages') return { type: 'file', file_id: source.id };
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
    case 'text':
      if (kind === 'document') return plainText(source.text);
      return refuse('messages', 'An image must be given as bytes or as a link.');
    case 'base64':
      return kind === 'image' ? image(source.data, mediaType) : document(source.data, mediaType);
  }
}

function image(data: string, mediaType: string | undefined): Record<string, unknown> {
  if (!mediaType) return refuse('messages', 'The media type of an image is missing.');
  return { type: 'base64', media_type: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data };
}

function document(data: string, mediaType = 'application/pdf'): Record<string, unknown> {
  if (mediaType.startsWith('text/')) return plainText(Buffer.from(data, 'base64').toString('utf8'));
  return { type: 'base64', media_type: mediaType, data };
}

function plainText(data: string): Record<string, unknown> {
  return { type: 'text', media_type: 'text/plain', data };
}
