import { blanksEnd } from './blanks.ts';
import { maxNesting, stringEnd } from './nesting.ts';

/**
 * The strings, objects and arrays of a JSON text that are longer than `length`, keys among them: the offset after each by the
 * offset where it begins.
 * @throws SyntaxError for a text that nests deeper than {@link maxNesting}
 */
export function largeValues(text: string, length: number): Map<number, number> {
  const large = new Map<number, number>();
  const open: number[] = [];
  const note = (start: number, end: number) => {
    if (end - start > length) large.set(start, end);
  };
  for (let at = 0; at < text.length; ) {
    const c = text.charCodeAt(at);
    if (c === quote) {
      const end = stringEnd(text, at);
      note(at, end);
      at = end;
    } else if (c <= space) {
      at = blanksEnd(text, at + 1);
    } else {
      if (c === openBrace || c === openBracket) open.push(at);
      at++;
      const closes = c === closeBrace || c === closeBracket;
      if (closes && open.length > 0) note(open.pop() as number, at);
      if (open.length > maxNesting)
        throw new SyntaxError(`The JSON nests more than ${maxNesting} levels deep.`);
    }
  }
  for (const start of open) note(start, text.length);
  return large;
}

const space = 0x20;
const quote = 0x22;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
