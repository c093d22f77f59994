import { describe, expect, test } from 'vitest';
import { type Bitmap, blank, fitted, paint, pixelAt } from './bitmap.ts';
import { decode, encode, imageTypes, typeOf } from './codecs.ts';
import { glyphOf, inFont } from './font.ts';
import { Gallery } from './gallery.ts';
import { draw, type Sketch } from './picture.ts';

const sketch: Sketch = {
  prompt: 'A red fox',
  width: 320,
  height: 160,
  variation: 0,
  transparent: false,
  over: null,
  mask: null,
};

function plain(width: number, height: number, ...colour: [number, number, number, number]): Bitmap {
  const bitmap = blank(width, height);
  paint(bitmap, () => colour);
  return bitmap;
}

const whites = ({ data }: Bitmap) => {
  let count = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at] === 255 && data[at + 1] === 255 && data[at + 2] === 255) count++;
  return count;
};
const dots = (text: string) =>
  [...text].flatMap(glyphOf).reduce((sum, row) => sum + row.toString(2).replaceAll('0', '').length, 0);

describe('a picture', () => {
  test('shows its prompt, dot for dot', () => {
    const white = whites(draw(sketch));
    // Each dot of a letter is a square of as many pixels as there is room for.
    const scale = Math.sqrt(white / dots('Aredfox'));
    expect(Number.isInteger(scale)).toBe(true);
    expect(scale).toBeGreaterThan(1);
  });

  test('is always the same, and another for another prompt or variation', () => {
    const { data } = draw(sketch);
    expect(draw(sketch).data).toEqual(data);
    expect(draw({ ...sketch, variation: 1 }).data).not.toEqual(data);
    expect(draw({ ...sketch, prompt: 'A red fax' }).data).not.toEqual(data);
  });

  test.each(['', ' ', 'x'.repeat(5_000), 'word '.repeat(5_000), '数据 🚀', 'ﬁn\u0000\u007f'])(
    'can show %# in any size',
    prompt => {
      for (const [width, height] of [
        [16, 16],
        [16, 48],
        [512, 16],
        [256, 256],
      ] as const)
        expect(draw({ ...sketch, prompt, width, height }).data).toHaveLength(width * height * 4);
    },
  );

  test('has nothing behind it where it is transparent', () => {
    expect(pixelAt(draw({ ...sketch, transparent: true }), 0, 0)[3]).toBe(0);
    expect(pixelAt(draw(sketch), 0, 0)[3]).toBe(255);
  });

  test('is drawn over another, which stays at the rims', () => {
    const over = plain(64, 64, 10, 200, 30, 255);
    const before = over.data.slice();
    const picture = draw({ ...sketch, over });
    expect(pixelAt(picture, 0, 0)).toEqual([10, 200, 30, 255]);
    expect(pixelAt(picture, 319, 159)).toEqual([10, 200, 30, 255]);
    expect(whites(picture)).toBeGreaterThan(0);
    expect(over.data).toEqual(before);
  });

  test('is painted anew only where the mask is transparent', () => {
    const over = plain(320, 160, 10, 200, 30, 255);
    const mask = blank(320, 160);
    paint(mask, x => [0, 0, 0, x < 160 ? 0 : 255]);
    const picture = draw({ ...sketch, over, mask });
    expect(pixelAt(picture, 0, 0)).not.toEqual([10, 200, 30, 255]);
    expect(pixelAt(picture, 319, 0)).toEqual([10, 200, 30, 255]);
  });
});

test('another size is cut, not squeezed', () => {
  const source = blank(100, 50);
  paint(source, x => [x < 25 || x >= 75 ? 255 : 0, 0, 0, 255]);
  const { data } = fitted(source, 10, 10);
  expect([...data].filter((_, at) => at % 4 === 0)).toEqual(Array(100).fill(0));
});

test('what the font does not have is a box, what it almost has is that', () => {
  expect(inFont('“café” – 数')).toBe('"cafe" - \x7f');
  expect(glyphOf('\x7f')).toEqual(glyphOf('数'));
  for (let code = 33; code < 127; code++) expect(dots(String.fromCharCode(code))).toBeGreaterThan(1);
});

test.each(imageTypes)('%s is written and read', async type => {
  const picture = draw(sketch);
  const bytes = await encode(picture, type, 90);
  expect(typeOf(bytes)).toBe(type);
  const read = await decode(bytes);
  expect(read).toMatchObject({ width: 320, height: 160 });
  const off = picture.data.reduce((sum, byte, at) => sum + Math.abs(byte - (read?.data[at] ?? 0)), 0);
  expect(off / picture.data.length).toBeLessThan(type === 'png' ? 0.001 : 8);
});

test.each(['', 'text', '\x89PNG\r\n\x1a\nno', '\xff\xd8\xffno', 'RIFF0000WEBPno'])(
  '%j is no image, and images are read after it',
  async text => {
    expect(await decode(Buffer.from(text, 'latin1'))).toBeNull();
    const png = await encode(plain(8, 8, 1, 2, 3, 255), 'png', 100);
    expect((await decode(png))?.data.slice(0, 4)).toEqual(Uint8ClampedArray.of(1, 2, 3, 255));
  },
);

test('a gallery keeps the last hundred', () => {
  const gallery = new Gallery();
  const names = Array.from({ length: 101 }, () =>
    gallery.keep({ bytes: Buffer.from('x'), type: 'image/png' }),
  );
  expect(gallery.find(names[0] ?? '')).toBeNull();
  expect(gallery.find(names[1] ?? '')).toMatchObject({ type: 'image/png' });
  expect(gallery.find(names[100] ?? '')).toMatchObject({ type: 'image/png' });
});
