import type { CacheHint, MediaPart, MediaSource } from '@model-gateway/canonical';
import { textOfBase64 } from '#bytes';
import { asHeld } from '../upstream/encode-media.ts';
import { refuse } from '../upstream/unsupported.ts';
import type {
  MessagesCacheControl,
  MessagesDocumentParam,
  MessagesImageParam,
  MessagesPlainTextSource,
  MessagesStoredSource,
} from './params.ts';

/** Returns the `cache_control` of a block or a tool. */
export function cacheBreakpoint(cache: CacheHint | undefined): MessagesCacheControl | undefined {
  return cache && { type: 'ephemeral', ttl: cache.ttl };
}

/** Encodes an image or a document. @throws GatewayError for media that this format cannot hold */
export function mediaBlock(media: MediaPart): MessagesImageParam | MessagesDocumentParam {
  const part = asHeld(media);
  const cache_control = cacheBreakpoint(part.cache);
  switch (part.kind) {
    case 'image':
      return { type: 'image', source: imageSource(part), cache_control };
    case 'document': {
      const title = part.name || undefined;
      return { type: 'document', source: documentSource(part), title, cache_control };
    }
    case 'audio':
      return refuse('messages', 'This model does not support audio input.');
  }
}

function imageSource({ source, mediaType }: MediaPart): MessagesImageParam['source'] {
  switch (source.type) {
    case 'url':
    case 'file':
      return storedSource(source);
    case 'text':
      return refuse('messages', 'An image must be base64 data or a URL.');
    case 'base64': {
      if (!mediaType) return refuse('messages', 'The media type of an image is missing.');
      const media_type = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType;
      return { type: 'base64', media_type, data: source.data };
    }
  }
}

function documentSource({ source, mediaType, name = '' }: MediaPart): MessagesDocumentParam['source'] {
  switch (source.type) {
    case 'url':
    case 'file':
      return storedSource(source);
    case 'text':
      return plainText(source.text);
    case 'base64':
      if (!mediaType)
        return refuse('messages', `The media type of the file '${name}' is missing: send it as a data URL.`);
      if (mediaType.startsWith('text/')) return plainText(textOfBase64(source.data));
      return { type: 'base64', media_type: mediaType, data: source.data };
  }
}

function storedSource(source: Extract<MediaSource, { type: 'url' | 'file' }>): MessagesStoredSource {
  if (source.type === 'url') return { type: 'url', url: source.url };
  if (source.format === 'messages') return { type: 'file', file_id: source.id };
  return refuse('messages', `The file '${source.id}' is stored with another vendor than this model's.`);
}

function plainText(data: string): MessagesPlainTextSource {
  return { type: 'text', media_type: 'text/plain', data };
}
