export interface DataUrl {
  /** In base64, whatever it was in the URL. */
  data: string;
  /** Absent where the URL does not say. */
  mediaType?: string;
}

/** Takes a data URL apart; undefined if it is none. */
export function readDataUrl(url: string): DataUrl | undefined {
  const comma = url.indexOf(',');
  if (!/^data:/i.test(url) || comma < 0) return undefined;
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const content = url.slice(comma + 1);
  const inBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64');
  const data = inBase64 ? content : encode(content);
  if (data === undefined) return undefined;
  return mediaType === '' ? { data } : { data, mediaType: properName(mediaType) };
}

function encode(percentEncoded: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(percentEncoded)).toString('base64');
  } catch {
    return undefined;
  }
}

/** Many clients write `image/jpg`, which is no media type and which vendors refuse. */
function properName(mediaType: string): string {
  const name = mediaType.trim().toLowerCase();
  return name === 'image/jpg' ? 'image/jpeg' : name;
}
