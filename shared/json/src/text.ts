import { blanksEnd } from './blanks.ts';
import { stringEnd, valueEnd } from './nesting.ts';

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

const openBrace = Buffer.from('{');
const comma = Buffer.from(',');
const closeBrace = Buffer.from('}');

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
  const pieces: Uint8Array[] = [openBrace];
  const absent = new Map(edits);
  for (const { key, keyStart, valueStart, valueEnd } of topLevelSpans(body.toString('latin1'))) {
    const edit = edits.get(key);
    absent.delete(key);
    const value =
      edit === undefined ? undefined : apply(edit, () => body.toString('utf8', valueStart, valueEnd));
    if (value === null) continue;
    if (pieces.length > 1) pieces.push(comma);
    if (value === undefined) pieces.push(body.subarray(keyStart, valueEnd));
    else pieces.push(body.subarray(keyStart, valueStart), Buffer.from(value));
  }
  for (const [key, edit] of absent) {
    const value = apply(edit, () => undefined);
    if (value === null) continue;
    if (pieces.length > 1) pieces.push(comma);
    pieces.push(Buffer.from(`${JSON.stringify(key)}:${value}`));
  }
  pieces.push(closeBrace);
  return Buffer.concat(pieces);
}

function apply(edit: Edit, current: () => string | undefined): string | null {
  return typeof edit === 'function' ? edit(current()) : edit;
}
