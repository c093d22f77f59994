/**
 * The most levels of nested JSON. Functions that read and write it recurse for each level. Schemas and
 * documents stay below 100, and the parsers of many upstreams give up at 128 to 1,000.
 */
export const maxNesting = 500;

const escapeRun = 256;

/** Returns the offset after the string that opens at `at`, or the text's length if it does not end. */
export function stringEnd(text: string, at: number): number {
  let next = at + 1;
  for (;;) {
    const close = text.indexOf('"', next);
    if (close < 0) return text.length;
    if (!isEscaped(text, close)) return close + 1;
    // Escapes come in runs, where checking each character is cheaper than searching for each quote.
    const until = Math.min(close + escapeRun, text.length);
    for (next = close + 1; next < until; next++) {
      const c = text.charCodeAt(next);
      if (c === quote) return next + 1;
      if (c === backslash) next++;
    }
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
  return slashes % 2 === 1;
}

/** Returns the offset after the value that begins at `start`, or the text's length if it does not end. */
export function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return stringEnd(text, start);
  if (first !== '{' && first !== '[') {
    let at = start;
    while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++;
    return at;
  }
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (c === quote || c <= space) {
      at = c === quote ? stringEnd(text, at) : blanksEnd(text, at + 1);
      continue;
    }
    if (c === openBrace || c === openBracket) depth++;
    else if ((c === closeBrace || c === closeBracket) && --depth === 0) return at + 1;
    at++;
  }
  return text.length;
}

/** True if the character ends a number, `true`, `false` or `null`. */
function isDelimiter(c: number): boolean {
  return c <= space || c === comma || c === closeBracket || c === closeBrace;
}

/** Characters checked one by one before the regular expression; nearly all runs of whitespace are shorter. */
const shortRun = 16;
const longRun = /[ \t\n\r]*/y;

/**
 * Returns the offset of the first character from `at` on that is not JSON whitespace, or the text's length.
 */
export function blanksEnd(text: string, at: number): number {
  const until = Math.min(at + shortRun, text.length);
  let end = at;
  for (; end < until; end++) {
    const c = text.charCodeAt(end);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return end;
  }
  if (end >= text.length) return text.length;
  // Takes less than half the time of a loop.
  longRun.lastIndex = end;
  longRun.test(text);
  return longRun.lastIndex;
}

/**
 * A top-level member of a JSON object as offsets in its text, so that a body can be edited in place: unedited
 * members keep their big integers, key order and whitespace.
 */
interface Span {
  /** The key, unescaped. */
  key: string;
  /** Offset of the key's opening quote. */
  keyStart: number;
  /** Offset of the value's first byte. */
  valueStart: number;
  /** Offset after the value's last byte. */
  valueEnd: number;
}

const openBytes = /* @__PURE__ */ Buffer.from('{');
const commaBytes = /* @__PURE__ */ Buffer.from(',');
const closeBytes = /* @__PURE__ */ Buffer.from('}');

/**
 * Finds the top-level members of a JSON object. `text` must be valid JSON with an object on top. For text
 * decoded as latin1 the offsets are byte offsets: no byte of a UTF-8 sequence is a JSON delimiter.
 */
export function topLevelSpans(text: string): Span[] {
  const spans: Span[] = [];
  let at = blanksEnd(text, 0) + 1;
  for (;;) {
    at = blanksEnd(text, at);
    if (text[at] === '}' || at >= text.length) return spans;
    const keyStart = at;
    const keyEnd = stringEnd(text, at);
    const raw = text.slice(keyStart, keyEnd);
    const key: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
    at = blanksEnd(text, keyEnd) + 1;
    const valueStart = blanksEnd(text, at);
    const end = valueEnd(text, valueStart);
    spans.push({ key, keyStart, valueStart, valueEnd: end });
    at = blanksEnd(text, end);
    if (text[at] === ',') at++;
  }
}

/**
 * Finds the values of a JSON list as offsets in its text, which is what stands between the brackets of a valid array. For text
 * decoded as latin1 the offsets are byte offsets.
 */
export function listSpans(text: string): { start: number; end: number }[] {
  const spans: { start: number; end: number }[] = [];
  let at = blanksEnd(text, 0);
  while (at < text.length) {
    const end = valueEnd(text, at);
    spans.push({ start: at, end });
    at = blanksEnd(text, end);
    if (text[at] === ',') at = blanksEnd(text, at + 1);
  }
  return spans;
}

const byteOrderMark = /* @__PURE__ */ Buffer.from('\ufeff');

/** Returns the bytes of a text without the byte order mark that some programs write before it. */
export function withoutByteOrderMark(text: Buffer): Buffer {
  const hasMark = byteOrderMark.every((byte, at) => text[at] === byte);
  return hasMark ? text.subarray(byteOrderMark.length) : text;
}

/** Returns the text of a top-level member's value; undefined if the key is absent. */
export function memberText(body: Buffer, key: string): string | undefined {
  const span = topLevelSpans(body.toString('latin1')).find(member => member.key === key);
  return span && body.toString('utf8', span.valueStart, span.valueEnd);
}

/** Returns the first top-level key that occurs twice, if any: JSON readers disagree on which one counts. */
export function duplicateKey(spans: readonly Span[]): string | undefined {
  const seen = new Set<string>();
  for (const { key } of spans) {
    if (seen.has(key)) return key;
    seen.add(key);
  }
  return undefined;
}

/**
 * An edit of one top-level member: the JSON text of its new value (added at the end if the key is absent),
 * null to remove it, or a function from its current text (undefined if the key is absent) to one of these.
 */
export type Edit = string | null | ((current: string | undefined) => string | null);
export type Edits = ReadonlyMap<string, Edit>;

/** Returns a JSON object's bytes with edits applied; unedited members keep every byte and their order. */
export function spliceTopLevel(body: Buffer, edits: Edits): Buffer {
  const pieces: Uint8Array[] = [openBytes];
  const absent = new Map(edits);
  for (const { key, keyStart, valueStart, valueEnd } of topLevelSpans(body.toString('latin1'))) {
    const edit = edits.get(key);
    absent.delete(key);
    const value =
      edit === undefined ? undefined : apply(edit, () => body.toString('utf8', valueStart, valueEnd));
    if (value === null) continue;
    if (pieces.length > 1) pieces.push(commaBytes);
    if (value === undefined) pieces.push(body.subarray(keyStart, valueEnd));
    else pieces.push(body.subarray(keyStart, valueStart), Buffer.from(value));
  }
  for (const [key, edit] of absent) {
    const value = apply(edit, () => undefined);
    if (value === null) continue;
    if (pieces.length > 1) pieces.push(commaBytes);
    pieces.push(Buffer.from(`${JSON.stringify(key)}:${value}`));
  }
  pieces.push(closeBytes);
  return Buffer.concat(pieces);
}

function apply(edit: Edit, current: () => string | undefined): string | null {
  return typeof edit === 'function' ? edit(current()) : edit;
}

/** A top-level key that two JSON readers may take for different keys. */
interface AmbiguousKey {
  /** The key, shortened for an error message. */
  key: string;
  /** Predicate of an error message: `names "MODEL", which may be read as "model"`. */
  words: string;
}

/** The fields that a reader of an object knows, prepared for {@link ambiguousKey}. */
export class KnownFields {
  readonly #names: ReadonlySet<string>;
  readonly #byFold: ReadonlyMap<string, string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#byFold = new Map([...this.#names].map(name => [foldKey(name), name]));
  }

  /** Returns the known field that a case-insensitive reader takes an unknown key for. */
  lookalike(key: string, folded: string): string | undefined {
    return this.#names.has(key) ? undefined : this.#byFold.get(folded);
  }
}

/**
 * Returns the first ambiguous key of an object's top level: it occurs twice, or differs only in case, blanks,
 * unseen characters or width from another key or a known field. Go's `encoding/json`, for one, ignores case and
 * takes the last.
 */
export function ambiguousKey(keys: readonly string[], known: KnownFields): AmbiguousKey | undefined {
  const seen = new Map<string, string>();
  for (const key of keys) {
    const folded = foldKey(key);
    const other = seen.get(folded) ?? known.lookalike(key, folded);
    if (other !== undefined) return ambiguous(key, other);
    seen.set(folded, key);
  }
  return undefined;
}

function ambiguous(key: string, other: string): AmbiguousKey {
  const short = shortened(key);
  const quoted = JSON.stringify(short);
  const words =
    key === other
      ? `names ${quoted} twice`
      : `names ${quoted}, which may be read as ${JSON.stringify(shortened(other))}`;
  return { key: short, words };
}

function shortened(key: string): string {
  return key.length > 100 ? `${key.slice(0, 100)}…` : key;
}

/**
 * Approximates how lenient readers compare keys: without case (`ſ` is `s`, the Kelvin sign `k`), blanks around them, characters that
 * are not seen, and forms of compatibility (`ｍ` is `m`).
 */
function foldKey(key: string): string {
  if (plainKey.test(key)) return key;
  const seen = asciiKey.test(key) ? key : key.replace(unseen, '').normalize('NFKC');
  return seen.trim().toUpperCase().toLowerCase();
}

const plainKey = /^[a-z0-9_]+$/;
const asciiKey = /^[ -~]*$/;
/** Control characters, and those that are shown as nothing, such as the soft hyphen. */
const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
