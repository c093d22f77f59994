import type { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { DeliveryFormat } from '../delivery.ts';

/** Cohere's second version. */
export const cohere: DeliveryFormat = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  badKey: () => new ApiError(401, 'invalid api token'),
  errorBody: ({ message }, requestId) => ({ id: requestId, message }),
};

export function meta(billed: object) {
  return { api_version: { version: '2' }, billed_units: billed };
}

/** The first problem of a body, in the vendor's words. */
export function validationError({ issues: [issue] }: z.ZodError): ApiError {
  if (!issue) return invalid('the request is malformed');
  if (issue.message.startsWith('*')) return invalid(issue.message.slice(1));
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return new ApiError(422, `unknown field: parameter '${issue.keys[0]}' is not a valid field`);
  return invalid(path ? `${path}: ${issue.message}` : issue.message);
}

export function invalid(what: string): ApiError {
  return new ApiError(400, `invalid request: ${what}`);
}
