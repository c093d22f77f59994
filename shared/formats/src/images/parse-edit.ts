import { type FormFile, GatewayError, type ImageRequest, type InputImage } from '@model-gateway/canonical';
import type { ClientForm } from '../client/endpoint.ts';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { readDataUrl } from '../values/media.ts';
import { type Files, filesOf, imageHead, imageType, notAnImage, typesOf } from './form-files.ts';
import { fieldsOf, parsePrompted } from './parse.ts';
import type { ImagesAnswerOptions } from './render.ts';
import {
  type ImagePrompted,
  type ImageReference,
  imageEditForm,
  imageEditRequest,
  maxInputImages,
} from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parseEdit(body: Record<string, unknown>): ParsedOperation<ImagesAnswerOptions> {
  const { success, data, error } = imageEditRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const { images, mask } = data;
  for (const [i, image] of images.entries()) checkReference(image, `images[${i}]`);
  if (mask) checkReference(mask, 'mask');
  return parsed(data, () => ({
    ...parsePrompted(data),
    images: images.map((image, i) => inputImage(image, `images[${i}]`)),
    ...(mask && { mask: inputImage(mask, 'mask') }),
  }));
}

/** @throws GatewayError of kind `invalid-request` */
export async function parseEditForm(form: ClientForm): Promise<ParsedOperation<ImagesAnswerOptions>> {
  const files = filesOf(form, { maxImages: maxInputImages, others: ['mask', 'markup'] });
  const body = fieldsOf(form);
  const { success, data, error } = imageEditForm.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const types = await typesOf(form, files);
  return parsed(data, async () => ({ ...parsePrompted(data), ...(await readFiles(form, files, types)) }));
}

function parsed(
  { model, stream, n, response_format: format }: ImagePrompted,
  canonical: ParsedOperation['canonical'],
): ParsedOperation<ImagesAnswerOptions> {
  const rendering = { asUrl: format === 'url' };
  return { type: 'image', model, stream: stream === true, images: n ?? 1, canonical, rendering };
}

/** Reads a form's files into memory, for targets that do not accept forms. */
async function readFiles(
  form: ClientForm,
  { images, mask }: Files,
  types: ReadonlyMap<FormFile, string>,
): Promise<Pick<ImageRequest, 'images' | 'mask'>> {
  const read = async (file: FormFile): Promise<InputImage> => ({
    mediaType: types.get(file) as string,
    data: (await form.read(file)).toString('base64'),
  });
  const all: InputImage[] = [];
  for (const file of images) all.push(await read(file));
  return { images: all, ...(mask && { mask: await read(mask) }) };
}

/** @throws GatewayError for a data URL that is not an image */
function checkReference({ image_url: url }: ImageReference, param: string): void {
  if (!url || /^https?:\/\//i.test(url)) return;
  if (!typeIn(url)) throw notAnImage(`${param}.image_url`);
}

function typeIn(url: string): string | undefined {
  // Only the first bytes are decoded: the data may have megabytes.
  const { data } = readDataUrl(url) ?? {};
  return data && imageType(Buffer.from(data.slice(0, imageHead * 2), 'base64'));
}

/** Parses an image in the request. @throws GatewayError for a link or a stored file */
function inputImage({ image_url: url }: ImageReference, param: string): InputImage {
  const { data } = readDataUrl(url ?? '') ?? {};
  const mediaType = typeIn(url ?? '');
  if (data && mediaType) return { mediaType, data };
  const field = `${param}.${url ? 'image_url' : 'file_id'}`;
  const message = `Unsupported value for '${field}': this model accepts images only as data URLs.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'unsupported_value' });
}
