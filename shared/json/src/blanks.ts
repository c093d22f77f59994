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
