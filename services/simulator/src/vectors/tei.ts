import type { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { DeliveryFormat } from '../delivery.ts';

const types: Record<number, string> = {
  400: 'Empty',
  413: 'Validation',
  422: 'Tokenizer',
  424: 'Backend',
  429: 'Overloaded',
  503: 'Unhealthy',
};

/** Text Embeddings Inference: a server of one model, whose requests name none. */
export const tei: DeliveryFormat = {
  overloaded: 429,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  errorBody: ({ status, message }) => ({
    error: message,
    error_type: types[status] ?? (status < 500 ? 'Validation' : 'Backend'),
  }),
};

const maxInputs = 32;

export function validationError({ issues: [issue] }: z.ZodError): ApiError {
  const path = issue?.path.join('.');
  const message = `Failed to deserialize the JSON body into the target type: ${path ? `${path}: ` : ''}${issue?.message}`;
  return new ApiError(422, message);
}

/** @throws ApiError where nothing or too much is asked at once */
export function checkBatch(name: string, { length }: readonly unknown[]): void {
  if (length === 0) throw new ApiError(400, `\`${name}\` cannot be empty`);
  if (length > maxInputs)
    throw new ApiError(413, `batch size ${length} > maximum allowed batch size ${maxInputs}`);
}

/** @throws ApiError where a text is longer than the model reads, and may not be cut */
export function checkLength(tokens: number, truncate: boolean | null | undefined): void {
  if (tokens <= maxTokens || truncate) return;
  throw new ApiError(
    413,
    `Input validation error: \`inputs\` must have less than ${maxTokens} tokens. Given: ${tokens}`,
  );
}

const maxTokens = 8_192;

const defaultModel = 'sim-fast';

/** The model in the base URL, as in `/tei/fault-429/embed`, or `sim-fast`. */
export function modelIn(url: string): string {
  const [, model] = /^\/tei\/([^?]+)\/[^/?]+(?:\?|$)/.exec(url) ?? [];
  return model === undefined ? defaultModel : decodeURIComponent(model);
}
