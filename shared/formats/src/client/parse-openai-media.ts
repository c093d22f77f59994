import { GatewayError, type MediaPart, type MediaSource } from '@model-gateway/canonical';
import { readDataUrl, typeOfBytes, withoutLineEnds } from '../values/media.ts';

/** Media, and what it is as far as the client says it. */
type Media = Pick<MediaPart, 'source' | 'mediaType'>;

/** Parses a link or a data URL. `param` is its field, for errors. @throws GatewayError for a malformed data URL */
export function parseMediaUrl(url: string, param: string): Media {
  if (!/^data:/i.test(url)) return { source: { type: 'url', url } };
  const read = readDataUrl(url);
  if (!read)
    throw new GatewayError('invalid-request', `Invalid '${param}': the data URL cannot be parsed.`, {
      param,
      code: 'invalid_value',
    });
  return { source: inBase64(read.data), ...(read.mediaType && { mediaType: read.mediaType }) };
}

/** Parses the audio of a message, whose format is `wav` or `mp3`. */
export function parseInputAudio({ data, format }: { data: string; format: string }): MediaPart {
  const mediaType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`;
  return { type: 'media', kind: 'audio', source: inBase64(data), mediaType };
}

/** Parses the content of a file, in base64 or as a data URL. @throws GatewayError for a malformed data URL */
export function parseFileData(data: string, param: string): MediaPart {
  if (!/^data:/i.test(data)) return { type: 'media', kind: 'document', source: inBase64(data) };
  const media = parseMediaUrl(data, param);
  const family = media.mediaType?.split('/')[0];
  const kind = family === 'image' || family === 'audio' ? family : 'document';
  return { type: 'media', kind, ...media, source: asText(media) };
}

function inBase64(data: string): MediaSource {
  return { type: 'base64', data: withoutLineEnds(data) };
}

/** Converts a text file to text, which every format accepts. Other files may have that label, too. */
function asText({ source, mediaType }: Media): MediaSource {
  if (source.type !== 'base64' || !mediaType?.startsWith('text/')) return source;
  if (typeOfBytes(source.data)) return source;
  return { type: 'text', text: Buffer.from(source.data, 'base64').toString('utf8') };
}
