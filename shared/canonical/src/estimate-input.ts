/** Average bytes of a token of text with blanks, with the syntax of JSON around it. */
const bytesPerToken = 4;
/** Bytes of a token within a longer run without a blank: of code, of data, or of a language without blanks. */
const bytesPerRunToken = 3;
/** The longest run without a blank that counts as a word, in bytes. */
const longestWord = 32;
/** Tokens of an image, and of media whose size says nothing about its tokens. */
const mediaTokens = 1_000;
/** Bytes of a token of a document that is not text, such as a PDF file. */
const bytesPerDocumentToken = 30;
/** Bytes of a token of audio or video. */
const bytesPerSoundToken = 500;

/** The places of media in a value, by the keys on the way; true at the end of one, which {@link here} marks where others go on. */
interface Places {
  [key: string]: Places | true;
}

const here = '';

const known = new WeakMap<readonly string[], Places>();

function placesOf(paths: readonly string[]): Places {
  const before = known.get(paths);
  if (before) return before;
  const places: Places = {};
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    let at = places;
    for (const key of keys) {
      const next = at[key];
      const inner: Places = typeof next === 'object' ? next : next ? { [here]: true } : {};
      at[key] = inner;
      at = inner;
    }
    const end = at[last];
    if (typeof end === 'object') end[here] = true;
    else at[last] = true;
  }
  known.set(paths, places);
  return places;
}

/**
 * Returns an estimate of the tokens of a request's input: of all its text, and of its media. `request` is any JSON value; `media` are
 * the places where its format declares bytes in base64, a data URL or a link, such as `messages.*.content.*.image_url.url`.
 */
export function estimateInput(request: unknown, media: readonly string[]): number {
  const places = placesOf(media);
  let tokens = 0;
  // The names of the fields of the request itself are no part of the prompt.
  for (const [field, value] of Object.entries(Object(request)))
    tokens += tokensOf(value, inside(places, field), request);
  return Math.ceil(tokens);
}

function inside(places: Places | true | undefined, key: string): Places | true | undefined {
  return typeof places === 'object' && Object.hasOwn(places, key) ? places[key] : undefined;
}

function tokensOf(value: unknown, places: Places | true | undefined, parent: unknown): number {
  if (typeof value === 'string') {
    const isMedia = places === true || inside(places, here) === true;
    return isMedia ? tokensOfMedia(value, parent) : tokensOfText(value);
  }
  if (typeof value !== 'object' || value === null) return 1;
  let tokens = 0;
  if (Array.isArray(value)) {
    const items = inside(places, '*');
    for (const item of value) tokens += tokensOf(item, items, value);
    return tokens;
  }
  for (const [key, item] of Object.entries(value))
    tokens += tokensOfText(key) + tokensOf(item, inside(places, key), value);
  return tokens;
}

/** Length from which it is worthwhile to look whether a text has a longer run, before its bytes are counted. */
const longText = 256;

/** Returns the tokens of a text by its bytes, of which a longer run without blanks has more. */
export function tokensOfText(text: string): number {
  if (text.length >= longText && !hasLongRun(text) && Buffer.byteLength(text) === text.length)
    return text.length / bytesPerToken;
  let bytes = 0;
  let run = 0;
  let inRuns = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) {
      if (run > longestWord) inRuns += run;
      run = 0;
      bytes++;
      continue;
    }
    // Each half of a surrogate pair is two of its four bytes.
    const size = code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    run += size;
    bytes += size;
  }
  if (run > longestWord) inRuns += run;
  return (bytes - inRuns) / bytesPerToken + inRuns / bytesPerRunToken;
}

/** True if a text has more characters without a blank than a word: looks at a few of them, from each place where a run could end back to the last blank. */
function hasLongRun(text: string): boolean {
  for (let end = longestWord; end < text.length; ) {
    let at = end;
    while (at >= end - longestWord && text.charCodeAt(at) > 0x20) at--;
    if (at < end - longestWord) return true;
    end = at + longestWord + 1;
  }
  return false;
}

/** Returns the tokens of media by its type, which its data URL says or a field beside it. */
function tokensOfMedia(text: string, parent: unknown): number {
  const { type, media_type, mediaType, mimeType, mime_type, format } = Object(parent) as Record<
    string,
    unknown
  >;
  if (type === 'text') return tokensOfText(text);
  const [, inUrl] = /^data:([^;,]*)/i.exec(text.slice(0, 200)) ?? [];
  if (inUrl === undefined && /^(https?|gs):/i.test(text.slice(0, 6))) return mediaTokens;
  const stated = [inUrl, media_type, mediaType, mimeType, mime_type, format].find(
    each => typeof each === 'string',
  );
  const bytes = (text.length * 3) / 4;
  if (/^(text\/|application\/(json|xml|x-))|(json|xml|yaml|csv)$/i.test(stated ?? ''))
    return bytes / bytesPerRunToken;
  if (/^application\//i.test(stated ?? '')) return Math.max(mediaTokens, bytes / bytesPerDocumentToken);
  if (/^image\//i.test(stated ?? '')) return mediaTokens;
  if (stated === undefined) return Math.max(mediaTokens, bytes / bytesPerDocumentToken);
  return Math.max(mediaTokens, bytes / bytesPerSoundToken);
}
