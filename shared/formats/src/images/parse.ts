import { GatewayError, type ImageRequest } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import type { ClientForm } from '../client/endpoint.ts';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import { filesOf, typesOf } from './form-files.ts';
import type { ImagesAnswerOptions } from './render.ts';
import { type ImagePrompted, imageGenerationRequest, imageVariationForm } from './types.ts';

/** The most images for which a request is split, for models that make one at a time. */
const mostInParts = 10;

/** Parses the fields that generations and edits share. @throws GatewayError for more images than requests are made for */
export function parsePrompted(body: ImagePrompted): ImageRequest {
  if (Number(body.n) > mostInParts) {
    const message = `Unsupported value for 'n': this model makes at most ${mostInParts} images for a request.`;
    throw new GatewayError('invalid-request', message, { param: 'n', code: 'unsupported_value' });
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
  const { success, data, error } = imageGenerationRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
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
export async function parseVariationForm(form: ClientForm): Promise<ParsedOperation<ImagesAnswerOptions>> {
  const files = filesOf(form, { maxImages: 1, others: [] });
  const body = fieldsOf(form);
  const { success, data, error } = imageVariationForm.safeParse(body);
  if (!success) throw invalidRequest(error, body);
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
