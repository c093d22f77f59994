import type { ErrorKind } from '@model-gateway/canonical';
import type { Format } from '../stack/formats.ts';

/**
 * Status and name of an error: in chat and responses its `code`, or its type where it has none; in messages its `type`,
 * in generate-content its `status`.
 */
export interface Shape {
  status: number;
  name: string;
  /** Its name within a stream, if it differs. */
  within?: string;
}

const openAi: Partial<Record<ErrorKind, Shape>> = {
  'invalid-request': { status: 400, name: 'invalid_request_error' },
  'not-found': { status: 404, name: 'model_not_found' },
  'too-large': { status: 413, name: 'request_too_large' },
  'rate-limited': { status: 429, name: 'rate_limit_exceeded' },
  'quota-exceeded': { status: 429, name: 'insufficient_quota' },
  overloaded: { status: 503, name: 'server_is_overloaded' },
  timeout: { status: 504, name: 'timeout' },
  upstream: { status: 502, name: 'upstream_error' },
};

/** The errors of faults, as the vendors' clients know them. */
export const expected: Record<Format, Partial<Record<ErrorKind, Shape>>> = {
  chat: openAi,
  responses: {
    ...openAi,
    timeout: { status: 504, name: 'timeout', within: 'server_error' },
    upstream: { status: 502, name: 'upstream_error', within: 'server_error' },
  },
  'generate-content': {
    'invalid-request': { status: 400, name: 'INVALID_ARGUMENT' },
    'not-found': { status: 404, name: 'NOT_FOUND' },
    'too-large': { status: 413, name: 'INVALID_ARGUMENT' },
    'rate-limited': { status: 429, name: 'RESOURCE_EXHAUSTED' },
    'quota-exceeded': { status: 429, name: 'RESOURCE_EXHAUSTED' },
    overloaded: { status: 503, name: 'UNAVAILABLE' },
    timeout: { status: 504, name: 'DEADLINE_EXCEEDED' },
    upstream: { status: 500, name: 'INTERNAL' },
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
