import type { ErrorKind } from '@model-gateway/canonical';
import type { Format } from './faults.ts';

/** Status and name of an error: in chat its `code`, or its type where it has none; in messages its `type`. */
export interface Shape {
  status: number;
  name: string;
}

/** The errors that faults come to, as the two vendors' own clients know them. */
export const expected: Record<Format, Partial<Record<ErrorKind, Shape>>> = {
  chat: {
    'invalid-request': { status: 400, name: 'invalid_request_error' },
    'not-found': { status: 404, name: 'model_not_found' },
    'too-large': { status: 413, name: 'request_too_large' },
    'rate-limited': { status: 429, name: 'rate_limit_exceeded' },
    'quota-exceeded': { status: 429, name: 'insufficient_quota' },
    overloaded: { status: 503, name: 'server_is_overloaded' },
    timeout: { status: 504, name: 'timeout' },
    upstream: { status: 502, name: 'upstream_error' },
  },
  messages: {
    'invalid-request': { status: 400, name: 'invalid_request_error' },
    'not-found': { status: 404, name: 'not_found_error' },
    'too-large': { status: 413, name: 'request_too_large' },
    'rate-limited': { status: 429, name: 'rate_limit_error' },
    'quota-exceeded': { status: 402, name: 'billing_error' },
    overloaded: { status: 529, name: 'overloaded_error' },
    timeout: { status: 504, name: 'timeout_error' },
    upstream: { status: 500, name: 'api_error' },
  },
};
