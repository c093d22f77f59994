import { hash } from 'node:crypto';
import { Dice } from '../mind/dice.ts';
import { type Bitmap, blank, type Colour, fitted, paint, pixelAt } from './bitmap.ts';
import { letterOver } from './lettering.ts';

export interface Sketch {
  prompt: string;
  width: number;
  height: number;
  /** The images of one prompt differ by it. */
  variation: number;
  /** Whether there is nothing behind the text. */
  transparent: boolean;
  /** The image that the prompt is shown over. */
  over: Bitmap | null;
  /** Where it is transparent, that image is painted anew; without it, nowhere. */
  mask: Bitmap | null;
}

/** An image that shows its prompt; the same prompt has always the same. */
export function draw(sketch: Sketch): Bitmap {
  const { prompt, width, height, transparent, over, mask } = sketch;
  const picture = over ? fitted(over, width, height) : blank(width, height);
  if (!over && !transparent) paint(picture, backdrop(sketch));
  if (over && mask) paintWhere(fitted(mask, width, height), picture, sketch);
  letterOver(picture, prompt);
  return picture;
}

function paintWhere(mask: Bitmap, picture: Bitmap, sketch: Sketch): void {
  const before = { ...picture, data: picture.data.slice() };
  const backdropAt = backdrop(sketch);
  paint(picture, (x, y) => (pixelAt(mask, x, y)[3] === 0 ? backdropAt(x, y) : pixelAt(before, x, y)));
}

/** Runs from one colour in a corner to another in the opposite one. */
function backdrop({ prompt, width, height, variation }: Sketch) {
  const dice = new Dice(Number.parseInt(hash('sha256', prompt).slice(0, 8), 16) + variation);
  const colour = (): Colour => [dice.roll() * 255, dice.roll() * 255, dice.roll() * 255];
  const [from, to] = [colour(), colour()];
  return (x: number, y: number): [...Colour, number] => {
    const way = (x / width + y / height) / 2;
    const between = (part: 0 | 1 | 2) => from[part] + (to[part] - from[part]) * way;
    return [between(0), between(1), between(2), 255];
  };
}
