import {
  type CacheHint,
  GatewayError,
  type MediaPart,
  type MediaSource,
  type TextPart,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { type DataUrl, readDataUrl, typeOfBytes, withoutLineEnds } from '../values/media.ts';
import type { CacheBreakpoints, ChatTextPart, ChatUserPart } from './turns.ts';

/** Parses text, images, audio and files. `path` is the content's position, for errors. */
export function parseContent(parts: readonly ChatUserPart[], path: string): (TextPart | MediaPart)[] {
  return parts.map((part, i) => parsePart(part, `${path}[${i}]`));
}

function parsePart(part: ChatUserPart, path: string): TextPart | MediaPart {
  switch (part.type) {
    case 'text':
      return parseText(part);
    case 'image_url':
      return parseImage(part, `${path}.image_url.url`);
    case 'input_audio':
      return parseAudio(part);
    case 'file':
      return parseFile(part, `${path}.file`);
  }
}

export function parseText(part: ChatTextPart): TextPart {
  return { type: 'text', text: part.text, ...omitNullish({ cache: parseCache(part) }) };
}

/** Parses a cache breakpoint. Times to live that only one vendor has are dropped. */
export function parseCache({
  cache_control,
  prompt_cache_breakpoint,
}: CacheBreakpoints): CacheHint | undefined {
  if (cache_control) return omitNullish({ ttl: cache_control.ttl });
  return prompt_cache_breakpoint ? {} : undefined;
}

/** Moves a cache breakpoint on a message to its last part. */
export function cacheLast<T extends { cache?: CacheHint }>(parts: T[], message: CacheBreakpoints): T[] {
  const cache = parseCache(message);
  const last = parts.at(-1);
  return cache && last && !last.cache ? [...parts.slice(0, -1), { ...last, cache }] : parts;
}

function parseImage(part: Extract<ChatUserPart, { type: 'image_url' }>, param: string): MediaPart {
  const { url } = part.image_url;
  return {
    type: 'media',
    kind: 'image',
    ...readUrl(url, param),
    ...omitNullish({ cache: parseCache(part) }),
  };
}

function parseAudio(part: Extract<ChatUserPart, { type: 'input_audio' }>): MediaPart {
  const { data, format } = part.input_audio;
  return {
    type: 'media',
    kind: 'audio',
    source: base64(data),
    mediaType: format === 'mp3' ? 'audio/mpeg' : `audio/${format}`,
    ...omitNullish({ cache: parseCache(part) }),
  };
}

function parseFile(part: Extract<ChatUserPart, { type: 'file' }>, param: string): MediaPart {
  const { file_id, file_data, filename } = part.file;
  const about = omitNullish({ name: filename, cache: parseCache(part) });
  if (file_id)
    return {
      type: 'media',
      kind: 'document',
      source: { type: 'file', id: file_id, format: 'chat' },
      ...about,
    };
  if (!file_data) throw invalid(`${param}.file_data`, 'a file needs file_data or a file_id');
  if (!file_data.startsWith('data:'))
    return { type: 'media', kind: 'document', source: base64(file_data), ...about };
  const { source, mediaType } = readUrl(file_data, `${param}.file_data`);
  return {
    type: 'media',
    kind: kindOf(mediaType),
    ...omitNullish({ source: asText(source, mediaType), mediaType }),
    ...about,
  };
}

function readUrl(url: string, param: string): { source: MediaSource; mediaType?: string } {
  if (!/^data:/i.test(url)) return { source: { type: 'url', url } };
  const read: DataUrl | undefined = readDataUrl(url);
  if (!read) throw invalid(param, 'the data URL cannot be parsed');
  const { data, mediaType } = read;
  return { source: { type: 'base64', data }, ...omitNullish({ mediaType }) };
}

function base64(data: string): MediaSource {
  return { type: 'base64', data: withoutLineEnds(data) };
}

/** Converts a text file to text, which every format accepts. Other files may have that label, too. */
function asText(source: MediaSource, mediaType: string | undefined): MediaSource {
  if (source.type !== 'base64' || !mediaType?.startsWith('text/')) return source;
  if (typeOfBytes(source.data)) return source;
  return { type: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
}

function kindOf(mediaType: string | undefined): MediaPart['kind'] {
  const kind = mediaType?.split('/')[0];
  return kind === 'image' || kind === 'audio' ? kind : 'document';
}

function invalid(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Invalid '${param}': ${why}.`, { param, code: 'invalid_value' });
}
