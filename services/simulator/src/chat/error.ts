import type { Refusal } from '../refusal.ts';

/** An error object as OpenAI writes it. */
export function refuse({ status, message, code, param }: Refusal) {
  return { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param, code } };
}
