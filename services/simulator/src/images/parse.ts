import type { IncomingHttpHeaders } from 'node:http';
import { crc32, deflateSync } from 'node:zlib';
import { readDataUrl } from '@model-gateway/wire';
import { z } from 'zod';
import type { Form } from '../form.ts';
import { badRequest, validated } from '../openai-error.ts';

const text = z.string();

const settings = {
  prompt: text.min(1).max(32_000),
  model: text.min(1).default('gpt-image-1.5'),
  n: z.int().min(1).max(10).nullish(),
  size: text.nullish(),
  quality: z.enum(['standard', 'hd', 'low', 'medium', 'high', 'auto']).nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  // The vendor has JPEG and WebP, too.
  output_format: z.enum(['png']).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  background: z.enum(['transparent', 'opaque', 'auto']).nullish(),
  moderation: z.enum(['low', 'auto']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  user: text.nullish(),
};
type Settings = z.infer<z.ZodObject<typeof settings>>;

/** The body of a generation. Unknown fields are rejected, as the vendor rejects them. */
const generationRequest = z.strictObject({
  ...settings,
  style: z.enum(['vivid', 'natural']).nullish(),
});

const editSettings = { ...settings, input_fidelity: z.enum(['high', 'low']).nullish() };

/** The fields of an edit that is sent as a form, without its files. */
const editForm = z.strictObject(editSettings);

const maxInputs = 16;
const reference = z.strictObject({ image_url: text.nullish(), file_id: text.nullish() });
type Reference = z.infer<typeof reference>;

/** The body of an edit that is sent as JSON. */
const editRequest = z.strictObject({
  ...editSettings,
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
  /** The base of the URLs in the answer; null puts the images themselves into the answer. */
  urls: string | null;
  stream: boolean;
  partials: number;
  /** Input images of an edit. */
  inputs: number;
}

export const defaultSize: Size = { width: 1_024, height: 1_024 };
const step = 16;
const maxEdge = 3_840;

/** True for models that answer with URLs unless asked otherwise, do not stream, and report no usage. */
export function isOlder(model: string): boolean {
  return model.slice(model.lastIndexOf('/') + 1).startsWith('dall-e');
}

/** @throws ApiError as the vendor would */
export function parseGeneration(body: unknown, headers: IncomingHttpHeaders): ParsedImages {
  return read('generation', validated(generationRequest, body), 0, headers);
}

/** Reads an edit that was sent as JSON. Images must be data URLs: nothing is fetched. @throws ApiError as the vendor would */
export function parseEdit(body: unknown, headers: IncomingHttpHeaders): ParsedImages {
  const { images, mask, ...settings } = validated(editRequest, body);
  for (const [at, image] of images.entries()) checkReference(image, `images[${at}]`);
  if (mask) checkReference(mask, 'mask');
  return read('edit', settings, images.length, headers);
}

/** Reads an edit that was sent as a form. @throws ApiError as the vendor would */
export function parseForm({ fields, files }: Form, headers: IncomingHttpHeaders): ParsedImages {
  const images = files.filter(({ name }) => /^image(?:\[\d*\])?$/.test(name));
  const other = files.find(file => !images.includes(file) && file.name !== 'mask');
  if (other) throw badRequest(`Unknown parameter: '${other.name}'.`, 'unknown_parameter', other.name);
  if (images.length === 0)
    throw badRequest("Missing required parameter: 'image'.", 'missing_required_parameter', 'image');
  if (images.length > maxInputs)
    throw badRequest(`Invalid 'image': more than ${maxInputs} images.`, 'array_above_max_length', 'image');
  for (const { name, head } of files) checkImage(head, name === 'mask' ? name : 'image');
  const values = fields
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, fieldValue(name, value)]);
  return read('edit', validated(editForm, Object.fromEntries(values)), images.length, headers);
}

/** Gives numbers and booleans, which are text in a form, their types. */
function fieldValue(name: string, value: string): unknown {
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = ['n', 'output_compression', 'partial_images'].includes(name);
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

function checkReference({ image_url: url, file_id: id }: Reference, param: string): void {
  if (Boolean(url) === Boolean(id))
    throw badRequest(
      `Exactly one of 'image_url' and 'file_id' must be given in '${param}'.`,
      'invalid_value',
      param,
    );
  if (id) throw badRequest(`No such File object: ${id}`, 'file_not_found', `${param}.file_id`);
  const read = readDataUrl(url ?? '');
  if (!read)
    throw badRequest(
      'Error while downloading file. Upstream status code: 404.',
      'invalid_image_url',
      `${param}.image_url`,
    );
  checkImage(Buffer.from(read.data, 'base64'), 'image');
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
    throw badRequest(
      "'partial_images' is only supported when 'stream' is true.",
      'invalid_value',
      'partial_images',
    );
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

/** @throws ApiError for a size that cannot be made */
function readSize(size: string | null | undefined): Size {
  if (!size || size === 'auto') return defaultSize;
  const [, width = 0, height = 0] = /^(\d{1,5})x(\d{1,5})$/.exec(size)?.map(Number) ?? [];
  if ([width, height].every(edge => edge >= step && edge <= maxEdge && edge % step === 0))
    return { width, height };
  throw badRequest(
    `Invalid size '${size}'. Width and height must be divisible by ${step} and at most ${maxEdge}.`,
    'invalid_value',
    'size',
  );
}

export interface Size {
  width: number;
  height: number;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour: eight bits a channel, with transparency only if the opacity is below 255. */
export function png({ width, height }: Size, [red, green, blue]: readonly number[], opaque = true): Buffer {
  const pixel = Buffer.from([red ?? 0, green ?? 0, blue ?? 0, ...(opaque ? [] : [0])]);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * pixel.length, pixel)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, opaque ? 2 : 6], 8);
  const rows = deflateSync(Buffer.alloc(height * row.length, row));
  return Buffer.concat([
    signature,
    block('IHDR', header),
    block('IDAT', rows),
    block('IEND', Buffer.alloc(0)),
  ]);
}

function block(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const bytes = Buffer.alloc(typed.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typed, 4);
  bytes.writeUInt32BE(crc32(typed), typed.length + 4);
  return bytes;
}

/** True if the bytes begin as a PNG, JPEG or WebP file does. */
function isImage(bytes: Buffer): boolean {
  return /^(?:89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/.test(bytes.toString('hex', 0, 16));
}
