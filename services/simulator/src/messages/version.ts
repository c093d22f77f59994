import type { IncomingHttpHeaders } from 'node:http';
import { wrong } from './complaint.ts';
import type { CountRequest } from './request.ts';

const withoutSampling = '2026-10-21';

/** The date in `anthropic-version`. @throws Refusal without one */
export function readVersion(headers: IncomingHttpHeaders): string {
  const { 'anthropic-version': version } = headers;
  if (typeof version !== 'string') throw wrong('anthropic-version: header is required');
  if (!/^\d{4}-\d\d-\d\d$/.test(version))
    throw wrong(`anthropic-version: "${version}" is not a valid version`);
  return version;
}

/** What versions from 2026-10-21 on no longer take. @throws Refusal */
export function checkVersion(version: string, request: CountRequest): void {
  if (version < withoutSampling) return;
  for (const field of ['temperature', 'top_p', 'top_k'] as const)
    if (request[field] !== undefined) throw wrong(`${field}: Extra inputs are not permitted`);
  for (const [at, { role, content }] of request.messages.entries())
    for (const [place, block] of content.entries()) {
      const where = `messages.${at}.content.${place}`;
      if (role === 'assistant' && block.type === 'document')
        throw wrong(`${where}: document blocks are not permitted in assistant messages`);
      if (role === 'user' && block.type === 'text' && block.citations?.length)
        throw wrong(`${where}.text.citations: citations are not permitted in user messages`);
    }
}
