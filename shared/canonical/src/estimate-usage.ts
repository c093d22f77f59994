import type { PromptEstimate } from './envelope.ts';
import { noUsage, type Usage } from './usage.ts';
import type { WireFormat } from './wire-format.ts';

const blob = ['inlineData.data', 'inline_data.data'];
/** The places of media in a list of parts of generateContent. */
const partsAt = (path: string) => [
  ...blob.map(place => `${path}.*.${place}`),
  ...['functionResponse', 'function_response'].flatMap(response =>
    blob.map(place => `${path}.*.${response}.parts.*.${place}`),
  ),
];
const sources = ['source.data', 'source.url'];
/** The fields of media of an input to embed that is an object. */
const embeddedMedia = ['image', 'video', 'audio'];

/** The places of media in the bodies of clients, by their format: the keys on the way, with `*` for any item of a list. */
const mediaPlaces: Partial<Record<WireFormat, readonly string[]>> = {
  chat: [
    'messages.*.content.*.image_url',
    'messages.*.content.*.image_url.url',
    'messages.*.content.*.input_audio.data',
    'messages.*.content.*.file.file_data',
  ],
  messages: [
    ...['', 'content.*.', 'source.content.*.'].flatMap(inner =>
      sources.map(source => `messages.*.content.*.${inner}${source}`),
    ),
  ],
  'generate-content': [
    ...['contents.*.parts', 'systemInstruction.parts', 'system_instruction.parts'].flatMap(partsAt),
  ],
  responses: [
    ...['content', 'output'].flatMap(list =>
      ['image_url', 'image_url.url', 'file_data', 'file_url', 'input_audio.data'].map(
        field => `input.*.${list}.*.${field}`,
      ),
    ),
    'input.*.output.image_url',
    'input.*.result',
  ],
  moderations: ['input.*.image_url.url'],
  images: ['images.*.image_url', 'mask.image_url'],
  embeddings: ['input', 'input.*'].flatMap(input => embeddedMedia.map(kind => `${input}.${kind}`)),
  'embed-content': [...partsAt('content.parts'), ...partsAt('requests.*.content.parts')],
};

const noPlaces: readonly string[] = [];

/** Returns the places of media in a client's body of a format. */
export function mediaPlacesIn(format: WireFormat): readonly string[] {
  return mediaPlaces[format] ?? noPlaces;
}

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
interface Slots {
  [key: string]: Slots | true;
}

const here = '';

const known = new WeakMap<readonly string[], Slots>();

function placesOf(paths: readonly string[]): Slots {
  const before = known.get(paths);
  if (before) return before;
  const places: Slots = {};
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    let at = places;
    for (const key of keys) {
      const next = at[key];
      const inner: Slots = typeof next === 'object' ? next : next ? { [here]: true } : {};
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

function inside(places: Slots | true | undefined, key: string): Slots | true | undefined {
  return typeof places === 'object' && Object.hasOwn(places, key) ? places[key] : undefined;
}

function tokensOf(value: unknown, places: Slots | true | undefined, parent: unknown): number {
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

/** Average characters per token of ordinary text. */
const charactersPerToken = 4;
/** Tokens that a model writes in a millisecond, on average and at most. */
const usualPerMs = 0.1;
const mostPerMs = 1;
/** Silence of a stream that is taken for reasoning, in milliseconds: longer than it may wait for a worker or for its first token. */
const longSilenceMs = 15_000;

/** The places of media in a canonical request. */
export const canonicalMedia: readonly string[] = [
  ...['messages.*.content.*', 'messages.*.content.*.content.*'].flatMap(part =>
    ['source.data', 'source.url'].map(field => `${part}.${field}`),
  ),
  ...embeddedMedia.map(kind => `inputs.*.${kind}`),
];

/**
 * Estimates the usage of an answer that an upstream has not completed. Of `reported`, only the output is replaced if it has the input.
 * `silentMs`: the time of a stream without text, in which it may have had hidden output that the upstream has not reported.
 */
export function estimateUsage(
  { input, units, hidden }: PromptEstimate,
  characters: number,
  reported: Usage | null,
  silentMs?: number,
): Usage {
  const isSeen = silentMs === undefined || (reported !== null && reported.reasoning > 0);
  const unseen = isSeen ? 0 : hiddenOutput(hidden, silentMs, characters > 0);
  const output = Math.max(Math.ceil(characters / charactersPerToken) + unseen, reported?.output ?? 0);
  if (reported && hasInput(reported)) return { ...reported, output };
  return { ...noUsage, input, output, ...(units && { units }) };
}

/**
 * Estimates the output tokens of a stream that are not shown, such as reasoning. `usual`: the most that nearly all answers of the model
 * hide; undefined if that is not known. `begun`: true once some of its text has arrived.
 */
function hiddenOutput(usual: number | undefined, silentMs: number, begun: boolean): number {
  if (usual === 0) return 0;
  const byTime = silentMs < longSilenceMs ? 0 : outputIn(silentMs);
  if (usual === undefined) return byTime;
  return Math.max(byTime, begun ? usual : Math.min(usual, Math.ceil(silentMs * mostPerMs)));
}

/** Returns the output tokens that a model writes in a time, on average. */
export function outputIn(ms: number): number {
  return Math.ceil(ms * usualPerMs);
}

/** Returns the output tokens of a complete stream that were not shown. */
export function hiddenIn({ output, reasoning }: Usage, characters: number): number {
  return Math.min(reasoning, Math.max(0, output - Math.ceil(characters / charactersPerToken)));
}

/** True if a usage says what the request used: some upstreams report zeros until the end. */
export function hasInput({ input, units }: Usage): boolean {
  return input > 0 || units !== undefined;
}

/** The texts of a stream's events in any format. */
const texts =
  /"(?:content|text|delta|thinking|arguments|partial_json|reasoning|reasoning_content|refusal)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Later events of `responses` repeat the texts of its deltas. */
const deltas = /"delta"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Returns the number of characters that verbatim events of a stream add to the answer. */
export function answerCharacters(events: Uint8Array, format?: WireFormat): number {
  const found = Buffer.from(events)
    .toString('latin1')
    .matchAll(format === 'responses' ? deltas : texts);
  let characters = 0;
  for (const [, text = ''] of found) characters += text.length;
  return characters;
}
