/** An image in memory: four bytes a pixel, red, green, blue and how opaque it is, row by row. */
export interface Bitmap {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}

export type Colour = readonly [red: number, green: number, blue: number];

export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

const bytesAPixel = 4;

export function blank(width: number, height: number): Bitmap {
  return { width, height, data: new Uint8ClampedArray(width * height * bytesAPixel) };
}

/** Makes each pixel anew, in place: `make` gets its place and says its bytes. */
export function paint(
  { width, height, data }: Bitmap,
  make: (x: number, y: number) => readonly [...Colour, opacity: number],
): void {
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at += bytesAPixel) data.set(make(x, y), at);
}

/** Lays a colour over an area, in place, as opaque as is said from 0 to 1. */
export function fill(bitmap: Bitmap, { left, top, width, height }: Area, colour: Colour, opacity = 1): void {
  const { data } = bitmap;
  for (let y = Math.max(top, 0); y < Math.min(top + height, bitmap.height); y++)
    for (let x = Math.max(left, 0); x < Math.min(left + width, bitmap.width); x++) {
      const at = (y * bitmap.width + x) * bytesAPixel;
      for (let part = 0; part < 3; part++)
        data[at + part] = (data[at + part] ?? 0) * (1 - opacity) + (colour[part] ?? 0) * opacity;
      data[at + 3] = Math.max(data[at + 3] ?? 0, 255 * opacity);
    }
}

/** The same image in another size: scaled so that it fills all of it, and cut where it is too long. */
export function fitted(source: Bitmap, width: number, height: number): Bitmap {
  if (source.width === width && source.height === height) return { ...source, data: source.data.slice() };
  const scale = Math.min(source.width / width, source.height / height);
  const left = (source.width - width * scale) / 2;
  const top = (source.height - height * scale) / 2;
  const result = blank(width, height);
  paint(result, (x, y) => pixelAt(source, Math.floor(left + x * scale), Math.floor(top + y * scale)));
  return result;
}

/** The same image in blocks of so many pixels, as one that is not yet done. */
export function coarse(source: Bitmap, block: number): Bitmap {
  const result = blank(source.width, source.height);
  paint(result, (x, y) => pixelAt(source, x - (x % block), y - (y % block)));
  return result;
}

export function pixelAt({ width, data }: Bitmap, x: number, y: number): [...Colour, opacity: number] {
  const at = (y * width + x) * bytesAPixel;
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0, data[at + 3] ?? 0];
}
