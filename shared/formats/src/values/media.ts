import { latin1OfBase64 } from '#bytes';

/** The first bytes of files by which they are known, in Latin-1 (WHATWG MIME Sniffing §6, RFC 9639, RFC 3533, ISO/IEC 14496-12 §4.3). */
const beginnings: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, 'application/pdf'],
  [/^\x89PNG/, 'image/png'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^GIF8/, 'image/gif'],
  [/^RIFF.{4}WEBP/s, 'image/webp'],
  [/^.{4}ftypavif/s, 'image/avif'],
  [/^.{4}ftyp(hei[cx]|mif1)/s, 'image/heic'],
  [/^RIFF.{4}WAVE/s, 'audio/wav'],
  [/^ID3/, 'audio/mpeg'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^.{4}ftypM4A/s, 'audio/mp4'],
];

/** Returns the media type of a file in base64 by its first bytes; undefined if they say none. */
export function typeOfBytes(base64: string): string | undefined {
  const bytes = latin1OfBase64(base64.slice(0, 16));
  return beginnings.find(([beginning]) => beginning.test(bytes))?.[1];
}

/** Other names of types, and types of which such files may be. */
const alike: Readonly<Record<string, readonly string[]>> = {
  'application/pdf': ['application/x-pdf'],
  'image/jpeg': ['image/jpg'],
  'image/heic': ['image/heif'],
  'audio/wav': ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
  'audio/mpeg': ['audio/mp3', 'audio/x-mp3', 'audio/mpga'],
  'audio/ogg': ['audio/opus', 'audio/vorbis', 'application/ogg', 'video/ogg'],
  'audio/flac': ['audio/x-flac'],
  'audio/mp4': ['audio/m4a', 'audio/x-m4a', 'audio/aac', 'video/mp4'],
};

/** Returns the type that the first bytes of a file in base64 say in place of the declared one; undefined if they do not contradict it. */
export function contradictedType(declared: string | undefined, base64: string): string | undefined {
  const found = typeOfBytes(base64);
  if (found === undefined || found === declared) return undefined;
  return declared !== undefined && alike[found]?.includes(declared) ? undefined : found;
}

/** Returns base64 without the line ends that MIME puts into it, which vendors refuse. */
export function withoutLineEnds(base64: string): string {
  return hasLineEnds(base64) ? base64.replace(/\s+/g, '') : base64;
}

export function hasLineEnds(base64: string): boolean {
  return base64.includes('\n') || base64.includes('\r');
}

interface DataUrl {
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
