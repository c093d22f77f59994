import { formRequest, jsonRequest, type OperationRequest } from '../operation/request.ts';

/** What is typed into the tab for images. A setting without a value is not sent. */
export interface ImagesDraft {
  /** Whether images are made from the prompt alone, or from other images. */
  mode: 'generate' | 'edit';
  prompt: string;
  /** `auto`, or width and height in pixels: `1024x1024`. */
  size: string;
  quality: string | null;
  background: string | null;
  n: number | null;
  outputFormat: string | null;
  /** In percent. */
  compression: number | null;
  responseFormat: string | null;
  /** Only for generation. */
  style: string | null;
  /** Only for generation. */
  moderation: string | null;
  /** Only for edits. */
  inputFidelity: string | null;
  stream: boolean;
  /** Only for streams. */
  partialImages: number | null;
  /** Only for edits. */
  images: readonly File[];
  /** An image whose transparent areas mark where the first image is edited. Only for edits. */
  mask: File | null;
}

export const emptyDraft: ImagesDraft = {
  ...{ mode: 'generate', prompt: '', size: '', quality: null, background: null, n: null },
  ...{ outputFormat: null, compression: null, responseFormat: null, style: null, moderation: null },
  ...{ inputFidelity: null, stream: false, partialImages: null, images: [], mask: null },
};

/** The most images of an edit, and the most characters of a prompt. */
export const maxImages = 16;
export const maxPrompt = 32_000;

/** True if a size is not set, `auto`, or a width and a height. */
export function isSize(size: string): boolean {
  return /^(|auto|[1-9]\d*x[1-9]\d*)$/.test(size.trim());
}

/** Returns what is missing or wrong before a request can be sent; undefined if nothing is. */
export function missingIn(draft: ImagesDraft): string | undefined {
  if (draft.mode === 'edit' && draft.images.length === 0) return 'Add at least one image.';
  if (draft.prompt.trim() === '') return 'Write a prompt.';
  if (!isSize(draft.size)) return 'Correct the size.';
  return undefined;
}

/** Adds files to the images of an edit. @throws Error that names the first file that cannot be added, and says why */
export function addImages(images: readonly File[], added: readonly File[]): File[] {
  for (const file of added) checkImage(file);
  if (images.length + added.length > maxImages) throw new Error(`An edit takes at most ${maxImages} images.`);
  return [...images, ...added];
}

/** @throws Error that says why the file cannot be sent as an image */
export function checkImage({ name, type, size }: File): void {
  if (!imageTypes.includes(type)) throw new Error(`${name} is no PNG, JPEG, WebP or GIF image.`);
  if (size === 0) throw new Error(`${name} is empty.`);
}

/** The media types of images that the gateway takes. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** Builds the request of a draft: JSON to generate images, a form to edit some. */
export function requestOf(model: string, draft: ImagesDraft): OperationRequest {
  if (draft.mode === 'generate') return jsonRequest('/v1/images/generations', fieldsOf(model, draft));
  const texts = Object.entries(fieldsOf(model, draft)).map(([name, value]): [string, string | undefined] => [
    name,
    value?.toString(),
  ]);
  const { images, mask } = draft;
  // As SDKs do: an edit of several images names each as an element of a list.
  const name = images.length > 1 ? 'image[]' : 'image';
  return formRequest('/v1/images/edits', [
    ...texts,
    ...images.map((file): [string, File] => [name, file]),
    ['mask', mask],
  ]);
}

type Fields = Record<string, string | number | boolean | null>;

function fieldsOf(model: string, draft: ImagesDraft): Fields {
  const { mode, stream, prompt, size, quality, background, n, style, moderation } = draft;
  return {
    ...{ model, prompt, size: size.trim(), quality, background, n },
    ...{ output_format: draft.outputFormat, output_compression: draft.compression },
    response_format: draft.responseFormat,
    ...(mode === 'generate' ? { style, moderation } : { input_fidelity: draft.inputFidelity }),
    ...(stream && { stream, partial_images: draft.partialImages }),
  };
}
