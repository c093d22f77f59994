/**
 * How deep JSON may nest: what reads and writes it calls itself for each level. Schemas and documents stay below 100,
 * and the parsers of many upstreams give up at 128 to 1,000.
 */
export const maxNesting = 500;

/** `at` is an opening quote; returns the offset after the closing one, or the text's end where there is none. */
export function stringEnd(text: string, at: number): number {
  let next = at + 1;
  for (;;) {
    const close = text.indexOf('"', next);
    if (close < 0) return text.length;
    if (!isEscaped(text, close)) return close + 1;
    // Escapes come in runs, in which a search for each quote would cost more than a look at each character.
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

const escapeRun = 256;
const quote = 0x22;
const backslash = 0x5c;
