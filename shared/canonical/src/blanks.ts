/** How many characters are looked at one by one: nearly all runs of blanks are shorter. */
const shortRun = 16;
const longRun = /[ \t\n\r]*/y;

/** The offset of the first character from `at` on that is no blank of JSON; the text's end where there is none. */
export function blanksEnd(text: string, at: number): number {
  const until = Math.min(at + shortRun, text.length);
  let end = at;
  for (; end < until; end++) {
    const c = text.charCodeAt(end);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return end;
  }
  if (end >= text.length) return text.length;
  // In less than half the time of a loop.
  longRun.lastIndex = end;
  longRun.test(text);
  return longRun.lastIndex;
}
