import type { AssistantPart, CacheHint, MediaPart, MediaSource, TextPart } from '@model-gateway/canonical';
import { readDataUrl, typeOfBytes, withoutLineEnds } from '../values/media.ts';
import type { ResponsesOutputPart, ResponsesPart } from './input.ts';
import { invalid } from './invalid.ts';

type Of<T extends ResponsesPart['type']> = Extract<ResponsesPart, { type: T }>;

/** Parses the content of a user message or of a tool result. `path` is the content's position, for errors. */
export function parseContent(
  parts: readonly (ResponsesPart | ResponsesOutputPart)[],
  path: string,
): (TextPart | MediaPart)[] {
  return parts.map((part, i) => parsePart(part, `${path}[${i}]`));
}

/** Parses content that may contain only text. */
export function parseTexts(parts: readonly ResponsesPart[], path: string): TextPart[] {
  return parts.map((part, i) => {
    if (part.type === 'input_text' || part.type === 'output_text') return textPart(part);
    throw invalid(`${path}[${i}].type`, `Invalid value for '${path}[${i}].type': instructions must be text.`);
  });
}

/** Parses the content of an assistant message. Empty texts are dropped: some vendors reject them. */
export function parseAssistantContent(parts: readonly ResponsesPart[], path: string): AssistantPart[] {
  return parts
    .map(
      (part, i): AssistantPart =>
        part.type === 'refusal' ? { type: 'refusal', text: part.refusal } : parsePart(part, `${path}[${i}]`),
    )
    .filter(part => !('text' in part) || part.text !== '');
}

function parsePart(part: ResponsesPart, path: string): TextPart | MediaPart {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return textPart(part);
    case 'refusal':
      return { type: 'text', text: part.refusal };
    case 'input_image':
      return imagePart(part, path);
    case 'input_file':
      return filePart(part, path);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
      return { type: 'media', kind: 'audio', source: base64(data), mediaType };
    }
  }
}

function textPart(part: Of<'input_text' | 'output_text'>): TextPart {
  return { type: 'text', text: part.text, ...cacheOf(part) };
}

/** Parses a cache breakpoint. Its lifetime cannot be translated for other vendors. */
function cacheOf({ prompt_cache_breakpoint: breakpoint }: Record<string, unknown>): { cache?: CacheHint } {
  return breakpoint ? { cache: {} } : {};
}

function imagePart(part: Of<'input_image'>, path: string): MediaPart {
  const { image_url: url, file_id: id } = part;
  if (id) return { type: 'media', kind: 'image', source: stored(id), ...cacheOf(part) };
  if (!url) throw missing(`${path}.image_url`, 'an image needs image_url or file_id');
  return { type: 'media', kind: 'image', ...readUrl(url, `${path}.image_url`), ...cacheOf(part) };
}

function filePart(part: Of<'input_file'>, path: string): MediaPart {
  const { file_id: id, file_url: url, file_data: data, filename } = part;
  const about = { ...(filename && { name: filename }), ...cacheOf(part) };
  if (id) return { type: 'media', kind: 'document', source: stored(id), ...about };
  if (url) return { type: 'media', kind: 'document', source: { type: 'url', url }, ...about };
  if (!data) throw missing(`${path}.file_data`, 'a file needs file_data, file_url or file_id');
  if (!/^data:/i.test(data)) return { type: 'media', kind: 'document', source: base64(data), ...about };
  const { source, mediaType } = readUrl(data, `${path}.file_data`);
  const known = mediaType === undefined ? {} : { mediaType };
  return { type: 'media', kind: kindOf(mediaType), source: asText(source, mediaType), ...known, ...about };
}

function stored(id: string): MediaSource {
  return { type: 'file', id, format: 'responses' };
}

function readUrl(url: string, param: string): { source: MediaSource; mediaType?: string } {
  if (!/^data:/i.test(url)) return { source: { type: 'url', url } };
  const read = readDataUrl(url);
  if (!read) throw invalid(param, `Invalid '${param}': the data URL cannot be parsed.`);
  const { data, mediaType } = read;
  return { source: { type: 'base64', data }, ...(mediaType && { mediaType }) };
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

function kindOf(mediaType = ''): MediaPart['kind'] {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') ? 'audio' : 'document';
}

function missing(param: string, why: string) {
  return invalid(param, `Invalid '${param}': ${why}.`, 'missing_required_parameter');
}
