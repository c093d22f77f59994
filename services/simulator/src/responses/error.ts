import type { Interruption } from '../format.ts';
import type { Refusal } from '../refusal.ts';
import { event } from './event.ts';
import type { ResponsesAsked } from './parse.ts';
import { failed } from './whole.ts';

const types: Record<number, string> = { 403: 'permission_error', 429: 'rate_limit_error' };

/** An error object as OpenAI writes it. */
export function refuse({ status, message, code, param }: Refusal) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code } };
}

/** The error, and then the response that it made fail. */
export function interrupt(
  { message, code, param }: Refusal,
  _requestId: string,
  { asked, answer, written }: Interruption<ResponsesAsked>,
): string {
  const response = failed(asked, answer, { code: code ?? 'server_error', message });
  return (
    event('error', written, { code: code ?? 'server_error', message, param }) +
    event('response.failed', written + 1, { response })
  );
}
