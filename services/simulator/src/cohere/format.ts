import { bearer } from '../bearer.ts';
import type { Delivering } from '../delivery.ts';
import { Refusal } from '../refusal.ts';

/** Cohere's second version. */
export const cohere: Delivering = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  badKey: () => new Refusal(401, 'invalid api token'),
  refuse: ({ message }, requestId) => ({ id: requestId, message }),
};

/** What is said of the version and the cost of an answer. */
export function meta(billed: object) {
  return { api_version: { version: '2' }, billed_units: billed };
}
