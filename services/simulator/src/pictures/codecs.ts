import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import decodeJpeg, { init as initJpegDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as initJpegEncoder } from '@jsquash/jpeg/encode.js';
import decodePng, { init as initPngDecoder } from '@jsquash/png/decode.js';
import encodePng, { init as initPngEncoder } from '@jsquash/png/encode.js';
import decodeWebp, { init as initWebpDecoder } from '@jsquash/webp/decode.js';
import encodeWebp, { init as initWebpEncoder } from '@jsquash/webp/encode.js';
import type { Bitmap } from './bitmap.ts';

export const imageTypes = ['png', 'jpeg', 'webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** How the bytes of each type begin, in hexadecimal. */
const beginnings: Record<ImageType, RegExp> = {
  png: /^89504e470d0a1a0a/,
  jpeg: /^ffd8ff/,
  webp: /^52494646.{8}57454250/,
};

/** The type of an image by its first bytes; null if it is none of these. */
export function typeOf(bytes: Uint8Array): ImageType | null {
  const beginning = Buffer.from(bytes.subarray(0, 16)).toString('hex');
  return imageTypes.find(type => beginnings[type].test(beginning)) ?? null;
}

/** `quality` from 0 to 100 is for the types that lose some. */
export async function encode(bitmap: Bitmap, type: ImageType, quality: number): Promise<Buffer> {
  await ready();
  switch (type) {
    case 'png':
      return Buffer.from(await encodePng(bitmap));
    case 'jpeg':
      return Buffer.from(await encodeJpeg(bitmap, { quality }));
    case 'webp':
      return Buffer.from(await encodeWebp(bitmap, { quality }));
  }
}

const decoders = { png: decodePng, jpeg: decodeJpeg, webp: decodeWebp };

/** The image in some bytes; null where they hold none. */
export async function decode(bytes: Uint8Array): Promise<Bitmap | null> {
  const type = typeOf(bytes);
  if (!type) return null;
  await ready();
  try {
    return await decoders[type](Uint8Array.from(bytes).buffer);
  } catch {
    return null;
  }
}

let loaded: Promise<unknown> | null = null;

/** Loads the codecs when the first image comes: most simulators never see one. */
function ready(): Promise<unknown> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<void> {
  // The decoders make one, as in a browser.
  Reflect.set(globalThis, 'ImageData', Reflect.get(globalThis, 'ImageData') ?? Pixels);
  const png = await wasm('@jsquash/png/codec/pkg/squoosh_png_bg.wasm');
  await Promise.all([initPngEncoder(png), initPngDecoder(png)]);
  await initJpegEncoder(await quiet('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'));
  await initJpegDecoder(await quiet('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'));
  await initWebpEncoder(await quiet('@jsquash/webp/codec/enc/webp_enc_simd.wasm'));
  await initWebpDecoder(await quiet('@jsquash/webp/codec/dec/webp_dec.wasm'));
}

class Pixels implements Bitmap {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data;
    this.width = width;
    this.height = height;
  }
}

const { resolve } = createRequire(import.meta.url);

/** By itself a codec would fetch its program, as in a browser. */
function wasm(name: string): Promise<Buffer> {
  return readFile(resolve(name));
}

/** A program with nothing to print: what is wrong with an image is said by the decoder's failure. */
async function quiet(name: string) {
  return { noInitialRun: true, wasmBinary: await wasm(name), printErr: () => {} };
}
