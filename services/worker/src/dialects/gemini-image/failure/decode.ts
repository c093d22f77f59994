import { GatewayError } from '@model-gateway/canonical';
import type { UpstreamFailure } from '../../dialect.ts';
import { decodeFailure as decodeGenerateFailure } from '../../gemini-generate/failure/decode.ts';

/** What the parts of a request are called by who asks for images; the prompt is the first of what is sent. */
const fields: [RegExp, string][] = [
  [/^contents(?:\[0\])?\.parts\[[1-9]/, 'image'],
  [/^contents\b/, 'prompt'],
  [/^generationConfig\.imageConfig\b/, 'size'],
  [/^model$/, 'model'],
];

/** As where it generates, in the names of what an image is asked for by. */
export function decodeFailure(failure: UpstreamFailure): GatewayError {
  const error = decodeGenerateFailure(failure);
  const { param, ...details } = error.details;
  if (!param) return error;
  const name = fields.find(([pattern]) => pattern.test(param))?.[1];
  const { kind, message, cause } = error;
  return new GatewayError(kind, message, { ...details, ...(name && { param: name }) }, { cause });
}
