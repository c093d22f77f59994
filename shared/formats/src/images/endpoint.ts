import {
  type FinishEvent,
  type FormFile,
  GatewayError,
  type GenerateEvent,
  type Image,
  type ImageAnswer,
  type ImageRequest,
  type InputImage,
  type Usage,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { dataJson, sseComment, sseEvent } from '@model-gateway/sse';
import {
  type ClientForm,
  type FormatEndpoint,
  knownFields,
  parseNone,
  type RenderContext,
  type ResultRenderer,
  refuseMisplaced,
  type StreamWriter,
} from '../client/endpoint.ts';
import { checked, unsupportedValue } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { renderChatError, renderNamedChatErrorEvent } from '../client/render-errors.ts';
import { readDataUrl } from '../values/media.ts';
import {
  type ImageCompleted,
  type ImageLooks,
  type ImagePrompted,
  type ImageReference,
  type ImagesAnswer,
  imageEditForm,
  imageEditRequest,
  imageGenerationRequest,
  imageUsage,
  imageVariationForm,
  isImage,
  maxInputImages,
} from './types.ts';

/** The most images for which a request is split, for models that make one at a time. */
const mostInParts = 10;

/** Parses the fields that generations and edits share. @throws GatewayError for more images than requests are made for */
function parsePrompted(body: ImagePrompted): ImageRequest {
  if (Number(body.n) > mostInParts) {
    throw unsupportedValue('n', `this model makes at most ${mostInParts} images for a request`);
  }
  return omitNullish({
    prompt: body.prompt,
    n: body.n,
    size: body.size,
    quality: body.quality,
    background: body.background,
    outputFormat: body.output_format,
    user: body.user,
  });
}

/** @throws GatewayError of kind `invalid-request` */
export function parseGeneration(body: Record<string, unknown>): ParsedOperation<ImagesAnswerOptions> {
  const data = checked(imageGenerationRequest, body);
  return {
    type: 'image',
    model: data.model,
    stream: data.stream === true,
    images: data.n ?? 1,
    canonical: () => parsePrompted(data),
    rendering: { asUrl: data.response_format === 'url' },
  };
}

/** @throws GatewayError of kind `invalid-request` */
async function parseVariationForm(form: ClientForm): Promise<ParsedOperation<ImagesAnswerOptions>> {
  const files = filesOf(form, { maxImages: 1, others: [] });
  const body = fieldsOf(form);
  const data = checked(imageVariationForm, body);
  await typesOf(form, files);
  const { model, n } = data;
  return {
    type: 'image',
    model,
    stream: false,
    images: n ?? 1,
    canonical: () => refuse(model),
    rendering: { asUrl: false },
  };
}

/** @throws GatewayError always: other formats require a prompt */
function refuse(model: string): never {
  const message = `The model '${model}' does not support variations. Use an edit with a prompt instead.`;
  throw new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
}

/** The fields that are numbers. */
const numbers = new Set(['n', 'output_compression', 'partial_images']);
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Converts a form's fields to JSON values. Empty fields are dropped; an invalid number or boolean stays a
 * text.
 */
export function fieldsOf({ fields }: Pick<ClientForm, 'fields'>): Record<string, unknown> {
  const set = fields.filter(([, value]) => value !== '');
  return Object.fromEntries(set.map(([name, value]) => [name, typed(name, value)]));
}

function typed(name: string, value: string): unknown {
  if (name === 'stream') return booleans.get(value.toLowerCase()) ?? value;
  return numbers.has(name) && /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
}

/** @throws GatewayError of kind `invalid-request` */
export function parseEdit(body: Record<string, unknown>): ParsedOperation<ImagesAnswerOptions> {
  const data = checked(imageEditRequest, body);
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
async function parseEditForm(form: ClientForm): Promise<ParsedOperation<ImagesAnswerOptions>> {
  const files = filesOf(form, { maxImages: maxInputImages, others: ['mask', 'markup'] });
  const body = fieldsOf(form);
  const data = checked(imageEditForm, body);
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
  throw unsupportedValue(field, 'this model accepts images only as data URLs');
}

/** The images of a form. */
export interface Files {
  images: FormFile[];
  mask?: FormFile;
}

/** The files that a form may contain. */
interface AllowedFiles {
  maxImages: number;
  /** Further fields that accept a file. */
  others: readonly string[];
}

/** Returns the images of a form. @throws GatewayError for no image, too many, or a file in a wrong field */
export function filesOf(form: ClientForm, { maxImages, others }: AllowedFiles): Files {
  const images = form.files.filter(({ name }) => isImage(name));
  refuseMisplaced(form, name => isImage(name) || others.includes(name), ['image', ...others]);
  const textField = form.fields.find(
    ([name, value]) => value !== '' && (isImage(name) || others.includes(name)),
  );
  if (textField) throw invalid(textField[0], 'invalid_type', 'expected a file, but got a text instead');
  if (images.length === 0)
    throw refusedFile('image', 'missing_required_parameter', "Missing required parameter: 'image'.");
  if (images.length > maxImages) {
    const most = `expected at most ${maxImages} ${maxImages === 1 ? 'image' : 'images'}, but got ${images.length}`;
    throw invalid('image', 'array_above_max_length', most);
  }
  const [mask, ...more] = form.filesOf('mask');
  if (more.length > 0) throw invalid('mask', 'array_above_max_length', 'expected one file, but got several');
  return { images, ...(mask && { mask }) };
}

/** Detects the types of images by their first bytes. @throws GatewayError for a file that is not an image */
export async function typesOf(form: ClientForm, { images, mask }: Files): Promise<Map<FormFile, string>> {
  const types = new Map<FormFile, string>();
  for (const file of mask ? [...images, mask] : images) {
    const type = imageType(await form.begin(file, imageHead));
    if (!type) throw notAnImage(file.name);
    types.set(file, type);
  }
  return types;
}

function notAnImage(param: string): GatewayError {
  return invalid(param, 'invalid_image_file', `not an image of a supported type (${imageTypes})`);
}

function invalid(param: string, code: string, why: string): GatewayError {
  return refusedFile(param, code, `Invalid '${param}': ${why}.`);
}

function refusedFile(param: string, code: string, message: string): GatewayError {
  return new GatewayError('invalid-request', message, { param, code });
}

/** The first bytes of image files in hexadecimal. A dot is any digit. */
const signatures: [RegExp, string][] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^47494638(?:37|39)61/, 'image/gif'],
];

/** The number of bytes that {@link imageType} needs. */
const imageHead = 12;
/** The types that {@link imageType} detects. */
export const imageTypes = 'PNG, JPEG, WebP and GIF';

/** Detects an image's type by its first bytes. Returns undefined for anything else. */
function imageType(head: Buffer): string | undefined {
  const digits = head.toString('hex');
  return signatures.find(([signature]) => signature.test(digits))?.[1];
}

/** The fields of a request that affect how its response is rendered. */
interface ImagesAnswerOptions {
  /** True if the client requested URLs of the images. */
  asUrl: boolean;
}

/**
 * Renders images of an upstream of another format, or of one that did not stream although it was requested
 * to.
 */
function imagesRenderer(
  type: ImageCompleted['type'],
  { asUrl }: ImagesAnswerOptions,
): ResultRenderer<ImageAnswer> {
  return {
    type: 'result',
    result(answer, usage, { created }): ImagesAnswer {
      const [first] = answer.images;
      return {
        created,
        data: answer.images.map(image => item(image, asUrl)),
        ...looks(answer, first),
        ...(usage && tokensIn(usage) && { usage: imageUsage(usage) }),
      };
    },
    stream: context => new CompletedWriter(type, context),
  };
}

/** Renders an image. If the client requested a URL and the upstream sent bytes, the URL is a data URL. */
function item({ data, url, mediaType, revisedPrompt }: Image, asUrl: boolean): ImagesAnswer['data'][number] {
  return {
    ...(data && !asUrl && { b64_json: data }),
    ...(data && asUrl && { url: `data:${mediaType};base64,${data}` }),
    ...(!data && url && { url }),
    ...(revisedPrompt && { revised_prompt: revisedPrompt }),
  };
}

function looks({ size, quality, background }: ImageAnswer, first: Image | undefined): ImageLooks {
  const type = first?.mediaType.replace(/^image\//, '');
  return omitNullish({ background, output_format: type, quality, size });
}

/** Writes complete images as a stream with one event per image. */
class CompletedWriter implements StreamWriter {
  readonly #type: ImageCompleted['type'];
  readonly #created: number;
  #answer: ImageAnswer | undefined;

  constructor(type: ImageCompleted['type'], { created }: RenderContext) {
    this.#type = type;
    this.#created = created;
  }

  add(event: GenerateEvent): string {
    if (event.type === 'result' && event.result.type === 'images') this.#answer = event.result;
    return event.type === 'finish' && this.#answer ? this.#written(this.#answer, event) : '';
  }

  /** The last image's event has the usage of all images. */
  #written(answer: ImageAnswer, { usage }: FinishEvent): string {
    const last = answer.images.length - 1;
    const events = answer.images.map((image, i): ImageCompleted => {
      const { data, url } = image;
      return {
        type: this.#type,
        ...(data ? { b64_json: data } : url ? { url } : {}),
        created_at: this.#created,
        size: 'auto',
        quality: 'auto',
        background: 'auto',
        output_format: 'png',
        ...looks(answer, image),
        usage: i === last && usage ? imageUsage(usage) : noTokens,
      };
    });
    return events.map(each => sseEvent(dataJson(each), each.type)).join('');
  }
}

const noTokens = imageUsage({ input: 0, imageInput: 0, output: 0, reasoning: 0 });

function tokensIn({ input, output }: Usage): boolean {
  return input + output > 0;
}

const generationsRenderer = (options: ImagesAnswerOptions) =>
  imagesRenderer('image_generation.completed', options);

/** Renders edits, and variations, which are never streamed. */
const editsRenderer = (options: ImagesAnswerOptions) => imagesRenderer('image_edit.completed', options);

/** The format's names of fields in errors. */
const fieldNames: FormatEndpoint['fieldNames'] = { images: 'image', outputFormat: 'output_format' };

/** Generates images from a prompt. */
export const generations: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/generations',
  format: 'images',
  fields: knownFields(imageGenerationRequest),
  parse: parseGeneration,
  render: generationsRenderer,
  fieldNames,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Edits images, which are files of a form or are in JSON. */
export const edits: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/edits',
  format: 'images',
  variant: 'edits',
  fields: knownFields(imageEditRequest, imageEditForm),
  contentTypes: ['multipart/form-data', 'application/json'],
  parse: parseEdit,
  parseForm: parseEditForm,
  render: editsRenderer,
  fieldNames,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: sseComment('ping'),
};

/** Generates variations of an image. */
export const variations: FormatEndpoint<ImagesAnswerOptions> = {
  method: 'POST',
  path: '/v1/images/variations',
  format: 'images',
  variant: 'variations',
  fields: knownFields(imageVariationForm),
  contentTypes: ['multipart/form-data'],
  parse: parseNone,
  parseForm: parseVariationForm,
  render: editsRenderer,
  renderError: renderChatError,
  renderErrorEvent: renderNamedChatErrorEvent,
  ping: '',
};
