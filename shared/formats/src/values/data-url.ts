import { contradictedType, withoutLineEnds } from './media-type.ts';

export interface DataUrl {
  /** Content in base64, whatever its encoding in the URL. */
  data: string;
  /** Absent if the URL has none. */
  mediaType?: string;
}

/** Parses a data URL; returns undefined for any other text. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const content = url.slice(comma + 1);
  const inBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64');
  const data = inBase64 ? withoutLineEnds(content) : encode(content);
  if (data === undefined) return undefined;
  return mediaType === '' ? { data } : { data, mediaType: normalizedType(mediaType) };
}

/** Returns a data URL in base64 with the type that its bytes have, and without line ends in them; any other text as it is. */
export function mendedDataUrl(url: string): string {
  const head = /^data:([^;,]*);base64,/i.exec(url.slice(0, 200));
  if (!head) return url;
  const [begin, declared = ''] = head;
  const data = withoutLineEnds(url.slice(begin.length));
  const type = contradictedType(declared.trim().toLowerCase(), data);
  if (type) return `data:${type};base64,${data}`;
  return data.length === url.length - begin.length ? url : begin + data;
}

function encode(percentEncoded: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(percentEncoded)).toString('base64');
  } catch {
    return undefined;
  }
}

/** Corrects `image/jpg`, which many clients write and vendors reject. */
function normalizedType(mediaType: string): string {
  const name = mediaType.trim().toLowerCase();
  return name === 'image/jpg' ? 'image/jpeg' : name;
}
