import { blanksEnd } from './blanks.ts';

/**
 * The most levels of nested JSON. Functions that read and write it recurse for each level. Schemas and
 * documents stay below 100, and the parsers of many upstreams give up at 128 to 1,000.
 */
export const maxNesting = 500;

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

const escapeRun = 256;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
