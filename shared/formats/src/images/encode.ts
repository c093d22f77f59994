import type { ImageRequest, InputImage } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import type {
  CanonicalInput,
  FormInput,
  SentForm,
  UpstreamRequest,
  VerbatimInput,
} from '../upstream/dialect.ts';
import { multipart, nativeForm } from '../upstream/multipart.ts';
import { nativeBody, withoutDropped, writtenBody } from '../upstream/request-body.ts';
import type { ImageRequestParams } from './types.ts';

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

function isImage(name: string): boolean {
  return /^image(?:\[\d*\])?$/.test(name);
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
