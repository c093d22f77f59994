import { jsonText } from '../json-text.ts';
import type { Refusal } from '../refusal.ts';

const types: Record<number, string> = { 429: 'requests', 503: 'service_unavailable_error' };

/** An error object as OpenAI writes it. */
export function refuse({ status, message, code, param }: Refusal) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code } };
}

export function interrupt(refusal: Refusal): string {
  return `data: ${jsonText(refuse(refusal))}\n\n`;
}
