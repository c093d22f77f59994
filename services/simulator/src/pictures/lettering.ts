import { type Bitmap, type Colour, fill } from './bitmap.ts';
import { glyphOf, inFont, letter } from './font.ts';

const mostCharacters = 4_000;
/** A text no wider than this many letters has letters as large as it can. */
const leastLettersALine = 16;
const lineDots = letter.height + 2;
const letterDots = letter.width + 1;
/** How much of an image its text may take, in either direction. */
const share = 0.86;

const dark: Colour = [16, 18, 24];
const light: Colour = [255, 255, 255];

/** Writes a text over the middle of an image, in letters as large as fit, on a ground that is darker. */
export function letterOver(bitmap: Bitmap, text: string): void {
  const { lines, scale } = layout(inFont(text).slice(0, mostCharacters), bitmap);
  const height = lines.length * lineDots * scale;
  const width = Math.max(...lines.map(({ length }) => length)) * letterDots * scale;
  const left = Math.floor((bitmap.width - width) / 2);
  const top = Math.floor((bitmap.height - height) / 2);
  const rim = 2 * scale;
  const ground = { left: left - rim, top: top - rim, width: width + 2 * rim, height: height + 2 * rim };
  fill(bitmap, ground, dark, 0.72);
  for (const [at, line] of lines.entries()) writeLine(bitmap, line, left, top + at * lineDots * scale, scale);
}

interface Layout {
  lines: string[];
  /** Pixels a dot. */
  scale: number;
}

function layout(text: string, { width, height }: Bitmap): Layout {
  const at = (scale: number): Layout => ({
    lines: wrapped(text, Math.max(1, Math.floor((width * share) / (letterDots * scale)))),
    scale,
  });
  const fits = ({ lines, scale }: Layout) => lines.length * lineDots * scale <= height * share;
  for (let scale = Math.floor(width / (leastLettersALine * letterDots)); scale > 1; scale--) {
    const tried = at(scale);
    if (fits(tried)) return tried;
  }
  const smallest = at(1);
  return {
    ...smallest,
    lines: smallest.lines.slice(0, Math.max(1, Math.floor((height * share) / lineDots))),
  };
}

/** A text in lines no longer than `most`; a word that is longer goes on in the next line. */
function wrapped(text: string, most: number): string[] {
  const words = text.split(/\s+/).flatMap(word => word.match(new RegExp(`.{1,${most}}`, 'g')) ?? []);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length > 0 ? lines : [''];
}

function writeLine(bitmap: Bitmap, line: string, left: number, top: number, scale: number): void {
  for (const [place, character] of [...line].entries())
    for (const [y, row] of glyphOf(character).entries())
      for (let x = 0; x < letter.width; x++)
        if (row & (1 << (letter.width - 1 - x))) {
          const dot = { left: left + (place * letterDots + x) * scale, top: top + y * scale };
          fill(bitmap, { ...dot, width: scale, height: scale }, light);
        }
}
