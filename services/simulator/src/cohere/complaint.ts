import type { z } from 'zod';
import { Refusal } from '../refusal.ts';

/** The first thing wrong with a body, as the vendor says it. */
export function complaint({ issues: [issue] }: z.ZodError): Refusal {
  if (!issue) return invalid('the request is malformed');
  if (issue.message.startsWith('*')) return invalid(issue.message.slice(1));
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys')
    return new Refusal(422, `unknown field: parameter '${issue.keys[0]}' is not a valid field`);
  return invalid(path ? `${path}: ${issue.message}` : issue.message);
}

export function invalid(what: string): Refusal {
  return new Refusal(400, `invalid request: ${what}`);
}
