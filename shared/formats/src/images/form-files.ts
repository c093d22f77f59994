import { type FormFile, GatewayError } from '@model-gateway/canonical';
import { type ClientForm, refuseMisplaced } from '../client/endpoint.ts';

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

const isImage = (name: string) => /^image(?:\[\d*\])?$/.test(name);

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

export function notAnImage(param: string): GatewayError {
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
export const imageHead = 12;
/** The types that {@link imageType} detects. */
export const imageTypes = 'PNG, JPEG, WebP and GIF';

/** Detects an image's type by its first bytes. Returns undefined for anything else. */
export function imageType(head: Buffer): string | undefined {
  const digits = head.toString('hex');
  return signatures.find(([signature]) => signature.test(digits))?.[1];
}
