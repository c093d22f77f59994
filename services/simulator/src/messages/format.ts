import type { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { Format } from '../format.ts';
import { type ParsedMessages, parse } from './parse.ts';
import { event, stream } from './stream.ts';
import { whole } from './whole.ts';

/** Anthropic's messages. */
export const messages: Format<ParsedMessages> = {
  overloaded: 529,
  headers: requestId => ({ 'request-id': requestId, 'anthropic-organization-id': 'org_simulator' }),
  key: headers => headers['x-api-key']?.toString() ?? bearer(headers),
  parse,
  whole,
  stream,
  errorBody,
  errorEvent: (error, requestId) => event('error', errorBody(error, requestId)),
};

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error object as Anthropic writes it. */
function errorBody({ status, message }: ApiError, requestId: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId };
}
