import type { Gallery } from '../pictures/gallery.ts';
import type { Made, MadeImage } from './make.ts';
import type { ImagesAsked } from './parse.ts';
import { usageOf } from './usage.ts';

/** The images as one body; what is in `before` stands before the first one's data. */
export function whole(asked: ImagesAsked, made: Made, gallery: Gallery, before: string) {
  const data = made.images.map((image, at) => shown(asked, image, gallery, at === 0 ? before : ''));
  if (!asked.counts) return { created: made.created, data };
  return {
    created: made.created,
    ...looks(asked, made),
    data,
    usage: usageOf(asked, made.size, made.images.length),
  };
}

/** How the images look, as the vendor says it. */
export function looks({ background, type, quality }: ImagesAsked, { size }: Made) {
  return { background, output_format: type, quality, size: `${size.width}x${size.height}` };
}

function shown({ gallery: base, type }: ImagesAsked, { whole }: MadeImage, gallery: Gallery, before: string) {
  if (base === null) return { b64_json: before + whole.toString('base64') };
  return { url: `${base}/${gallery.keep({ bytes: whole, type: `image/${type}` })}` };
}
