import type { Interruption } from '../format.ts';
import { jsonText } from '../json-text.ts';
import type { Refusal } from '../refusal.ts';
import type { GenerateAsked } from './parse.ts';
import { inArray } from './target.ts';

const statuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An error object as Google writes it; in an array where the answer would have been one. */
export function refuse(refusal: Refusal, _requestId: string, url: string) {
  return inArray(url) ? [errorOf(refusal)] : errorOf(refusal);
}

export function interrupt(
  refusal: Refusal,
  _requestId: string,
  { asked, written }: Interruption<GenerateAsked>,
): string {
  const error = jsonText(errorOf(refusal));
  if (asked.events) return `data: ${error}\n\n`;
  return written === 0 ? `[${error}\n]` : `\n,\n${error}\n]`;
}

function errorOf(refusal: Refusal) {
  const { status: code, message } = refusal;
  const status = statuses[code] ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  const details = detailsOf(refusal);
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

function detailsOf({ code, status, message, param, retryAfterS }: Refusal) {
  if (code === 'invalid_api_key' && status === 400)
    return [
      {
        ...typed('ErrorInfo'),
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ];
  if (retryAfterS !== null) return [{ ...typed('RetryInfo'), retryDelay: `${retryAfterS}s` }];
  if (param === null) return [];
  return [{ ...typed('BadRequest'), fieldViolations: [{ field: param, description: message }] }];
}

function typed(name: string) {
  return { '@type': `type.googleapis.com/google.rpc.${name}` };
}
