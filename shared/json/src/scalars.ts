import { blanksEnd, stringEnd, valueEnd } from './text.ts';

/** A string or a number of a JSON text. */
export interface JsonScalar {
  /** The scalar as it is written. */
  raw: string;
  /** A string unescaped, or the text of a number. A changed value is written as a string. */
  value: string;
  /** The name of the member whose value it is; undefined for names and for items of lists. */
  name?: string;
  /** True if the text ends within it. */
  cut?: boolean;
}

/** A scalar, or the text between two scalars. */
export type JsonPiece = string | JsonScalar;

/** The value that takes the place of an omitted member's. */
const omission = ':"[omitted]"';

/**
 * Splits JSON text, of which the end may be missing, at its strings and numbers. Objects and lists of the members in
 * `omitted` are replaced by a mark.
 */
export function splitScalars(text: string, omitted: ReadonlySet<string> = new Set()): JsonPiece[] {
  const pieces: JsonPiece[] = [];
  let name: string | undefined;
  for (let at = 0; ; ) {
    const open = text.indexOf('"', at);
    const between = text.slice(at, open < 0 ? text.length : open);
    // Not `push(...numbers)`: there may be more of them than a call takes arguments.
    for (const piece of splitNumbers(between, name)) pieces.push(piece);
    if (open < 0) return pieces;
    const end = stringEnd(text, open);
    const scalar = readString(text.slice(open, end));
    const colon = blanksEnd(text, end);
    const isName = text[colon] === ':';
    if (name !== undefined && !isName && between.trim() === ':') scalar.name = name;
    pieces.push(scalar);
    name = isName ? scalar.value : undefined;
    at = end;
    const value = blanksEnd(text, colon + 1);
    if (name !== undefined && omitted.has(name) && (text[value] === '{' || text[value] === '[')) {
      pieces.push(omission);
      at = valueEnd(text, value);
      name = undefined;
    }
  }
}

/** Joins pieces to a text. Scalars with their original values are written as they were. */
export function joinScalars(pieces: readonly JsonPiece[], original: readonly string[]): string {
  let scalar = 0;
  return pieces
    .map(piece => {
      if (typeof piece === 'string') return piece;
      if (piece.value === original[scalar++]) return piece.raw;
      const written = JSON.stringify(piece.value);
      return piece.cut ? written.slice(0, -1) : written;
    })
    .join('');
}

const number = /-?\d[\d.eE+-]*/g;

function splitNumbers(text: string, name: string | undefined): JsonPiece[] {
  const pieces: JsonPiece[] = [];
  let at = 0;
  for (const { 0: raw, index } of text.matchAll(number)) {
    pieces.push(text.slice(at, index), { raw, value: raw, ...(name !== undefined && { name }) });
    at = index + raw.length;
  }
  pieces.push(text.slice(at));
  return pieces;
}

function readString(raw: string): JsonScalar {
  try {
    return { raw, value: JSON.parse(raw) };
  } catch {
    const isWhole = raw.length > 1 && raw.endsWith('"');
    const inner = raw.slice(1, isWhole ? -1 : undefined);
    return { raw, value: isWhole ? inner : unescapeCut(inner), ...(!isWhole && { cut: true }) };
  }
}

/** Unescapes the beginning of a string, without an escape that is cut off. */
function unescapeCut(inner: string): string {
  for (let length = inner.length; length >= Math.max(0, inner.length - 6); length--) {
    try {
      return JSON.parse(`"${inner.slice(0, length)}"`);
    } catch {
      // The escape may be longer.
    }
  }
  return inner;
}
