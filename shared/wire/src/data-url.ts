import { withoutLineEnds } from './media-type.ts';

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
