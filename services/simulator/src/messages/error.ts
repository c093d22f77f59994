import type { Refusal } from '../refusal.ts';
import { event } from './event.ts';

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
export function refuse({ status, message }: Refusal, requestId: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId };
}

export function interrupt(refusal: Refusal, requestId: string): string {
  return event('error', refuse(refusal, requestId));
}
