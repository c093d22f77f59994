import {
  type FinishEvent,
  type Image,
  type ImageRequest,
  type InputImage,
  noUsage,
  sumUsage,
  type Usage,
} from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { readUsage as readTokens } from '../upstream/any-usage.ts';
import { decodeFailure, eventData } from '../upstream/decode-openai-failure.ts';
import type {
  CanonicalInput,
  Dialect,
  FormInput,
  SentForm,
  UpstreamRequest,
  VerbatimInput,
} from '../upstream/dialect.ts';
import { mediaTypeOf } from '../upstream/encode-media.ts';
import { editEvent } from '../upstream/loose-events.ts';
import { multipart, nativeForm } from '../upstream/multipart.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { objectIn, type StreamEvent } from '../upstream/read-json.ts';
import { nativeBody, withoutDropped, writtenBody } from '../upstream/request-body.ts';
import {
  decodeResult,
  type ReadBody,
  type ReadResult,
  ResultDecoder,
  secondsOf,
} from '../upstream/whole-body.ts';
import { type ImageRequestParams, imageUsage, isImage } from './types.ts';

/** The image generation and editing API of OpenAI and compatible providers. */
export const imagesDialect: Dialect<Input> = {
  format: 'images',
  bodies: ['verbatim', 'form', 'canonical'],
  choices: 'many',
  encode,
  decodeStream: input => new PassedEvents(new ImageEvents(imagesOf(input))),
  decodeWhole: input => new ResultDecoder(input.body !== 'canonical', readerOf(input)),
  decodeBody: (body, input) => decodeResult(body, readerOf(input)),
  decodeFailure,
};

function readerOf({ envelope }: Input): ReadBody {
  const at = secondsOf(envelope.requestId);
  return body => readImages(body, at);
}

/** Returns the number of images that a request asks for. */
function imagesOf(input: Input): number {
  return Number(requestedImages(input)) || 1;
}

function requestedImages(input: Input): unknown {
  switch (input.body) {
    case 'verbatim':
      return JSON.parse(String(input.text)).n;
    case 'form':
      return input.form.fields.findLast(([name]) => name === 'n')?.[1];
    case 'canonical':
      return input.request.n;
  }
}

export type Input = VerbatimInput | CanonicalInput<ImageRequest> | FormInput;

/** Writes a request: the client's text or form if it has this format, otherwise a translation. */
export function encode(input: Input): UpstreamRequest {
  const path = `/images/${input.envelope.variant ?? 'generations'}`;
  switch (input.body) {
    case 'verbatim':
      return { path, body: nativeBody(input) };
    case 'form':
      return { path, ...nativeForm({ ...input, form: asList(input.form) }) };
    case 'canonical': {
      const { images } = input.request;
      return images ? edit(input, images) : generation(input);
    }
  }
}

/** Renames several images to `image[]`: vendors refuse a repeated field, and few support a numbered one. */
function asList(form: SentForm): SentForm {
  const several = form.files.filter(({ name }) => isImage(name)).length > 1;
  const files = form.files.map(file => {
    const listed = isImage(file.name) && (several || file.name !== 'image');
    return listed ? { ...file, name: 'image[]' } : file;
  });
  return { ...form, files };
}

function generation(input: CanonicalInput<ImageRequest>): UpstreamRequest {
  return {
    path: '/images/generations',
    body: writtenBody(input, omitNullish(settings(input.model, input.request))),
  };
}

function edit(
  { envelope, model, drop, request }: CanonicalInput<ImageRequest>,
  images: readonly InputImage[],
): UpstreamRequest {
  const { mask } = request;
  const sent = [...images.map(image => fileOf('image[]', image)), ...(mask ? [fileOf('mask', mask)] : [])];
  const form = {
    fields: Object.entries(withoutDropped(omitNullish(settings(model, request)), drop)).map(
      ([name, value]): [string, string] => [name, String(value)],
    ),
    files: sent.map(({ file }) => file),
    bytes: bytesOf(sent),
  };
  return { path: '/images/edits', ...multipart(form, `gateway-${envelope.requestId}`) };
}

function fileOf(name: string, { mediaType, data }: InputImage) {
  const bytes = Buffer.from(data, 'base64');
  const filename = `${name === 'mask' ? name : 'image'}.${mediaType.slice('image/'.length)}`;
  return { file: { name, filename, mediaType, size: bytes.length }, bytes };
}

async function* bytesOf(files: readonly { bytes: Buffer }[]): AsyncGenerator<Uint8Array, void> {
  for (const { bytes } of files) yield bytes;
}

function settings(model: string, request: ImageRequest): ImageRequestParams {
  const { prompt, n, size, quality, background, outputFormat, user } = request;
  return { model, prompt, n, size, quality, background, output_format: outputFormat, user };
}

/** The expected shape of a response. */
interface Body {
  created?: unknown;
  data?: Item[];
  size?: unknown;
  quality?: unknown;
  background?: unknown;
  output_format?: unknown;
  usage?: unknown;
}

interface Item {
  b64_json?: unknown;
  url?: unknown;
  revised_prompt?: unknown;
}

/** Reads the images of a response; undefined if it has none or an invalid one. `at`: the time of a response that does not say it, in seconds. */
export function readImages(body: unknown, at: number): ReadResult | undefined {
  const { created, data, usage, output_format: format, size, quality, background } = (body ?? {}) as Body;
  if (!Array.isArray(data) || data.length === 0) return undefined;
  const images = data.flatMap(item => readImage(item ?? {}, format));
  if (images.length < data.length) return undefined;
  const read = readUsage(usage, images.length);
  const edits = new Map(editsOf(usage, read));
  if (typeof created !== 'number') edits.set('created', String(at));
  return {
    result: { type: 'images', images, ...texts({ size, quality, background }) },
    usage: read,
    ...(edits.size > 0 && { edits }),
  };
}

/** Returns the edits that put a usage into the words that clients read; undefined if it has them, or if none was read. */
function editsOf(raw: unknown, usage: Usage | null): Map<string, string> | undefined {
  if (raw == null || !usage || isOwnWords(raw)) return undefined;
  return new Map([['usage', JSON.stringify(imageUsage(usage))]]);
}

function isOwnWords(raw: unknown): boolean {
  const { input_tokens, output_tokens, total_tokens } = objectIn(raw) ?? {};
  return [input_tokens, output_tokens, total_tokens].every(tokens => typeof tokens === 'number');
}

function readImage({ b64_json, url, revised_prompt }: Item, format: unknown): Image[] {
  const image = texts({ data: b64_json, url, revisedPrompt: revised_prompt });
  return image.data || image.url ? [{ ...image, mediaType: mediaTypeIn(image.data, format) }] : [];
}

function mediaTypeIn(data = '', format: unknown): string {
  if (typeof format === 'string') return `image/${format}`;
  return mediaTypeOf({ type: 'media', kind: 'image', source: { type: 'base64', data } }) ?? 'image/png';
}

/** Returns the fields that are non-empty strings. */
function texts<T extends string>(fields: Record<T, unknown>): { [K in T]?: string } {
  const entries = Object.entries(fields).filter(([, value]) => typeof value === 'string' && value !== '');
  return Object.fromEntries(entries) as { [K in T]?: string };
}

/**
 * Reads usage. Older models report no tokens, or zeros, so only the number of images is known. Null for a usage in unknown words, which
 * is then estimated.
 */
function readUsage(raw: unknown, images: number): Usage | null {
  const tokens = readTokens(raw);
  if (tokens) return { ...tokens, units: { images } };
  return raw == null || isOwnWords(raw) ? { ...noUsage, units: { images }, raw } : null;
}

/**
 * Counts the complete images of a stream. The format has no end marker: a stream that ends normally after at
 * least one image is complete.
 */
class ImageEvents implements PassedReader {
  readonly endMark = 'ignored';
  readonly #expected: number;
  /** The usage of each complete image; null if it could not be read. */
  readonly #usages: (Usage | null)[] = [];

  /** `expected` is the number of images requested. */
  constructor(expected: number) {
    this.#expected = expected;
  }

  get complete(): boolean {
    return this.#usages.length >= this.#expected;
  }

  get valid(): boolean {
    return this.#usages.length > 0;
  }

  get usage(): Usage | null {
    const known = this.#usages.flatMap(usage => usage ?? []);
    if (known.length < this.#usages.length) return null;
    return known.length > 1 ? sumUsage(known) : (known[0] ?? null);
  }

  /** Skips partial images: parsing megabytes of them would be useless work. */
  skips({ event }: StreamEvent): boolean {
    return event?.endsWith('.partial_image') ?? false;
  }

  read(event: StreamEvent): void {
    const { type, usage } = eventData(event);
    if (!String(type ?? event.event).endsWith('.completed')) return;
    const read = readUsage(usage, 1);
    this.#usages.push(read);
    const edits = editsOf(usage, read);
    if (edits) editEvent(event, edits);
  }

  finish(): FinishEvent {
    return { type: 'finish', reason: 'stop', raw: null, usage: this.usage };
  }
}
