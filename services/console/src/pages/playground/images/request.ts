import type { CodeRequest } from '../../snippets/request.ts';
import { formRequest, jsonRequest, type OperationRequest } from '../operation/operation.ts';
import type { ImagesDraft, InputFiles } from './draft.ts';

/** Builds the request of a draft: JSON to generate images, a form to edit some. */
export function requestOf(model: string, draft: ImagesDraft, files: InputFiles): OperationRequest {
  if (draft.mode === 'generate') return jsonRequest('/v1/images/generations', fieldsOf(model, draft));
  const texts = Object.entries(fieldsOf(model, draft)).map(([name, value]): [string, string | undefined] => [
    name,
    value?.toString(),
  ]);
  // As SDKs do: an edit of several images names each as an element of a list.
  const name = files.images.length > 1 ? 'image[]' : 'image';
  return formRequest('/v1/images/edits', [
    ...texts,
    ...files.images.map((file): [string, File] => [name, file]),
    ['mask', files.mask ?? undefined],
  ]);
}

type Fields = Record<string, string | number | boolean | undefined>;

function fieldsOf(model: string, draft: ImagesDraft): Fields {
  const { mode, stream, prompt, size, quality, background, n, outputFormat, compression } = draft;
  const own: Fields =
    mode === 'generate'
      ? { style: draft.style ?? undefined, moderation: draft.moderation ?? undefined }
      : { input_fidelity: draft.inputFidelity ?? undefined };
  return {
    model,
    prompt,
    size: size.trim(),
    quality: quality ?? undefined,
    background: background ?? undefined,
    n: n ?? undefined,
    output_format: outputFormat ?? undefined,
    output_compression: compression ?? undefined,
    response_format: draft.responseFormat ?? undefined,
    ...own,
    ...(stream && { stream, partial_images: draft.partialImages ?? undefined }),
  };
}

/** Returns a request as code is written for it, whose answer comes whole; undefined for a form, which no code is written for. */
export function codeRequestOf(
  { path, body }: OperationRequest,
  model: string,
  baseUrl: string,
): CodeRequest | undefined {
  if (body.type !== 'json') return undefined;
  const { stream, partial_images, ...fields } = body.json;
  return { format: 'images', baseUrl, path, model, body: fields };
}
