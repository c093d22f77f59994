import { type CacheHint, GatewayError, type MediaPart } from '@model-gateway/canonical';
import { mediaTypeOf } from '../media-type.ts';

/** A content block of an upstream request. */
export type Block = { type: string; cache_control?: CacheControl } & Record<string, unknown>;

export interface CacheControl {
  type: 'ephemeral';
  ttl?: string;
}

/** Returns the cache breakpoint to spread into a block or a tool. */
export function cacheBreakpoint(cache: CacheHint | undefined): { cache_control?: CacheControl } {
  return cache ? { cache_control: { type: 'ephemeral', ...(cache.ttl && { ttl: cache.ttl }) } } : {};
}

/** @throws GatewayError for a request that this format cannot express */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}

/** Encodes an image or a document. @throws GatewayError for media that this format cannot hold */
export function mediaBlock(part: MediaPart): Block {
  const { name, cache } = part;
  const mediaType = mediaTypeOf(part);
  // A client may send an image as a file.
  const kind = part.kind === 'document' && mediaType?.startsWith('image/') ? 'image' : part.kind;
  if (kind === 'audio') return refuse('messages', 'This model does not support audio input.');
  const title = kind === 'document' && name ? { title: name } : {};
  return { type: kind, source: source({ ...part, kind }, mediaType), ...title, ...cacheBreakpoint(cache) };
}

function source(part: MediaPart, mediaType: string | undefined): Record<string, unknown> {
  const { kind, source, name } = part;
  switch (source.type) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      if (source.format === 'messages') return { type: 'file', file_id: source.id };
      return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
    case 'text':
      if (kind === 'document') return plainText(source.text);
      return refuse('messages', 'An image must be base64 data or a URL.');
    case 'base64':
      return kind === 'image' ? image(source.data, mediaType) : document(source.data, mediaType, name);
  }
}

function image(data: string, mediaType: string | undefined): Record<string, unknown> {
  if (!mediaType) return refuse('messages', 'The media type of an image is missing.');
  return { type: 'base64', media_type: mediaType === 'image/jpg' ? 'image/jpeg' : mediaType, data };
}

function document(data: string, mediaType: string | undefined, name = ''): Record<string, unknown> {
  if (!mediaType)
    return refuse('messages', `The media type of the file '${name}' is missing: send it as a data URL.`);
  if (mediaType.startsWith('text/')) return plainText(Buffer.from(data, 'base64').toString('utf8'));
  return { type: 'base64', media_type: mediaType, data };
}

function plainText(data: string): Record<string, unknown> {
  return { type: 'text', media_type: 'text/plain', data };
}
