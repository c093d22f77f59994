import type { IncomingHttpHeaders } from 'node:http';
import { readDataUrl } from '@model-gateway/formats';
import { z } from 'zod';
import type { Form } from '../common/form.ts';
import { badRequest, missing, validated } from '../common/openai-error.ts';
import { isImage, type Size } from './png.ts';

const text = z.string();

const settings = {
  prompt: text.min(1).max(32_000),
  model: text.min(1).default('gpt-image-1.5'),
  n: z.int().min(1).max(10).nullish(),
  size: text.nullish(),
  quality: z.enum(['standard', 'hd', 'low', 'medium', 'high', 'auto']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  output_format: z.enum(['png']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  user: text.nullish(),
};
type Settings = z.infer<z.ZodObject<typeof settings>>;

/** Unknown fields are rejected, as by the vendor. */
const generationRequest = z.strictObject({ ...settings, style: z.enum(['vivid', 'natural']).nullish() });

/** The fields of an edit that is sent as a form, without its files. */
const editForm = z.strictObject({ ...settings, input_fidelity: z.enum(['high', 'low']).nullish() });

const maxInputs = 16;
const reference = z.strictObject({ image_url: text.nullish(), file_id: text.nullish() });

/** The body of an edit that is sent as JSON. */
const editRequest = z.strictObject({
  ...editForm.shape,
  images: z.array(reference).min(1).max(maxInputs),
  mask: reference.nullish(),
});

export interface ParsedImages {
  kind: 'generation' | 'edit';
  model: string;
  prompt: string;
  n: number;
  size: Size;
  quality: 'low' | 'medium' | 'high';
  background: 'transparent' | 'opaque';
  /** The base URL of the images; null if they are in the answer itself. */
  urls: string | null;
  stream: boolean;
  partials: number;
  /** Input images of an edit. */
  inputs: number;
}

export const defaultSize: Size = { width: 1_024, height: 1_024 };
const step = 16;
const maxEdge = 3_840;

/** True for models that answer with URLs by default, do not stream, and report no usage. */
export function isOlder(model: string): boolean {
  return model.slice(model.lastIndexOf('/') + 1).startsWith('dall-e');
}

/** @throws ApiError as the vendor would */
export function parseGeneration(body: unknown, headers: IncomingHttpHeaders): ParsedImages {
  return read('generation', validated(generationRequest, body), 0, headers);
}

/** Parses an edit that is sent as JSON. Images must be data URLs: nothing is fetched. @throws ApiError as the vendor would */
export function parseEdit(body: unknown, headers: IncomingHttpHeaders): ParsedImages {
  const { images, mask, ...settings } = validated(editRequest, body);
  for (const [at, image] of images.entries()) checkReference(image, `images[${at}]`);
  if (mask) checkReference(mask, 'mask');
  return read('edit', settings, images.length, headers);
}

/** Parses an edit that is sent as a form. @throws ApiError as the vendor would */
export function parseForm({ fields, files }: Form, headers: IncomingHttpHeaders): ParsedImages {
  const images = files.filter(({ name }) => /^image(?:\[\d*\])?$/.test(name));
  const other = files.find(file => !images.includes(file) && file.name !== 'mask');
  if (other) throw badRequest(`Unknown parameter: '${other.name}'.`, 'unknown_parameter', other.name);
  if (images.length === 0) throw missing('image');
  if (images.length > maxInputs)
    throw badRequest(`Invalid 'image': more than ${maxInputs} images.`, 'array_above_max_length', 'image');
  for (const { name, head } of files) checkImage(head, name === 'mask' ? name : 'image');
  const values = fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, fieldValue(name, value)]);
  return read('edit', validated(editForm, Object.fromEntries(values)), images.length, headers);
}

/** Converts numbers and booleans, which are text in a form. */
function fieldValue(name: string, value: string): unknown {
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = ['n', 'output_compression', 'partial_images'].includes(name);
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

function checkReference({ image_url: url, file_id: id }: z.infer<typeof reference>, param: string): void {
  if (Boolean(url) === Boolean(id))
    throw badRequest(`'${param}' must have either 'image_url' or 'file_id'.`, 'invalid_value', param);
  if (id) throw badRequest(`No such File object: ${id}`, 'file_not_found', `${param}.file_id`);
  const image = readDataUrl(url ?? '');
  if (!image) throw badRequest('Error while downloading file.', 'invalid_image_url', `${param}.image_url`);
  checkImage(Buffer.from(image.data, 'base64'), 'image');
}

function checkImage(bytes: Buffer, param: string): void {
  if (isImage(bytes)) return;
  throw badRequest('Invalid image file or mode, please check your image file.', 'invalid_image_file', param);
}

function read(
  kind: ParsedImages['kind'],
  settings: Settings,
  inputs: number,
  headers: IncomingHttpHeaders,
): ParsedImages {
  const { model, quality, response_format: format, partial_images: partials } = settings;
  if (isOlder(model) && settings.stream)
    throw badRequest("Unknown parameter: 'stream'.", 'unknown_parameter', 'stream');
  if (partials && !settings.stream)
    throw badRequest("'partial_images' requires 'stream'.", 'invalid_value', 'partial_images');
  const asUrl = format ? format === 'url' : isOlder(model);
  return {
    kind,
    model,
    prompt: settings.prompt,
    n: settings.n ?? 1,
    size: readSize(settings.size),
    quality: quality === 'low' || quality === 'high' ? quality : 'medium',
    background: settings.background === 'transparent' ? 'transparent' : 'opaque',
    urls: asUrl ? `http://${headers.host ?? 'localhost'}/v1/images/files` : null,
    stream: settings.stream ?? false,
    partials: partials ?? 0,
    inputs,
  };
}

function readSize(size: string | null | undefined): Size {
  if (!size || size === 'auto') return defaultSize;
  const [, width = 0, height = 0] = /^(\d{1,5})x(\d{1,5})$/.exec(size)?.map(Number) ?? [];
  if ([width, height].every(edge => edge >= step && edge <= maxEdge && edge % step === 0))
    return { width, height };
  const rule = `Width and height must be divisible by ${step} and at most ${maxEdge}.`;
  throw badRequest(`Invalid size '${size}'. ${rule}`, 'invalid_value', 'size');
}
