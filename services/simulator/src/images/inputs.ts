import { readDataUrl } from '@model-gateway/wire';
import { wrong } from '../openai-complaint.ts';
import type { Bitmap } from '../pictures/bitmap.ts';
import { decode } from '../pictures/codecs.ts';
import type { Reference } from './request.ts';

/** The images that an edit begins with, as they came. */
export interface Inputs {
  images: Uint8Array[];
  mask: Uint8Array | null;
}

/** The images that JSON holds as data URLs: no others can be had here. @throws Refusal */
export function inputsOf(images: Reference[], mask: Reference | null): Inputs {
  return {
    images: images.map((image, at) => bytesOf(image, `images[${at}]`)),
    mask: mask && bytesOf(mask, 'mask'),
  };
}

function bytesOf({ image_url: url, file_id: id }: Reference, param: string): Uint8Array {
  if (Boolean(url) === Boolean(id))
    throw wrong(
      `Exactly one of 'image_url' and 'file_id' must be given in '${param}'.`,
      'invalid_value',
      param,
    );
  if (id) throw wrong(`No such File object: ${id}`, 'file_not_found', `${param}.file_id`);
  const read = readDataUrl(url ?? '');
  if (!read)
    throw wrong(
      'Error while downloading file. Upstream status code: 404.',
      'invalid_image_url',
      `${param}.image_url`,
    );
  return Buffer.from(read.data, 'base64');
}

/** What is drawn over, and where. */
export interface Ground {
  over: Bitmap | null;
  mask: Bitmap | null;
}

/** Reads the images: the first is drawn over, the others are only looked at. @throws Refusal */
export async function groundOf({ images, mask }: Inputs): Promise<Ground> {
  const bitmaps: Bitmap[] = [];
  for (const [at, bytes] of images.entries()) bitmaps.push(await imageIn(bytes, at + 1));
  const over = bitmaps[0] ?? null;
  const read = mask && (await decode(mask));
  if (mask && !read)
    throw wrong('Invalid mask image file, please check your mask file.', 'invalid_image_file', 'mask');
  if (over && read && (over.width !== read.width || over.height !== read.height))
    throw wrong('Invalid mask image format - mask size does not match image size', 'invalid_value', 'mask');
  return { over, mask: read };
}

async function imageIn(bytes: Uint8Array, place: number): Promise<Bitmap> {
  const bitmap = await decode(bytes);
  if (bitmap) return bitmap;
  throw wrong(
    `Invalid image file or mode for image ${place}, please check your image file.`,
    'invalid_image_file',
    'image',
  );
}
