import { type Bitmap, coarse } from '../pictures/bitmap.ts';
import { encode } from '../pictures/codecs.ts';
import { draw } from '../pictures/picture.ts';
import { groundOf } from './inputs.ts';
import type { ImagesAsked } from './parse.ts';
import { isMade, type Size, usualSize } from './size.ts';

/** The images that were asked for. */
export interface Made {
  /** Unix seconds. */
  created: number;
  size: Size;
  images: MadeImage[];
}

export interface MadeImage {
  whole: Buffer;
  /** What is shown of it before, the coarsest first. */
  partials: Buffer[];
}

/** The side of a block in the last image that is shown before the whole one. */
const finestBlock = 16;

/** @throws Refusal where what is given are no images */
export async function make(asked: ImagesAsked): Promise<Made> {
  const ground = await groundOf(asked.inputs);
  const size = asked.size ?? (ground.over && isMade(ground.over) ? ground.over : usualSize);
  const { prompt } = asked;
  const transparent = asked.background === 'transparent';
  const images: MadeImage[] = [];
  for (let variation = 0; variation < asked.n; variation++) {
    const { width, height } = size;
    images.push(await encoded(draw({ prompt, width, height, variation, transparent, ...ground }), asked));
  }
  return { created: Math.floor(Date.now() / 1_000), size, images };
}

async function encoded(
  bitmap: Bitmap,
  { partials: count, type, compression }: ImagesAsked,
): Promise<MadeImage> {
  const partials: Buffer[] = [];
  for (let left = count; left > 0; left--)
    partials.push(await encode(coarse(bitmap, finestBlock * 2 ** (left - 1)), type, compression));
  return { whole: await encode(bitmap, type, compression), partials };
}
