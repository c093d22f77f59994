import { AdminClient } from '@model-gateway/admin-api';
import { Problem, problemOf } from './problem.ts';

/** The admin API with the session's cookie. Its methods throw a Problem. */
export const api = new AdminClient({
  baseUrl: '',
  headers: { 'x-gateway-csrf': '1' },
  timeoutMs: 30_000,
  unreachable: () => new Problem('The gateway did not respond.', { code: 'unreachable' }),
  failed: problemOf,
});

/** The start of the keys of all that only some users may read. */
export const ofUser = 'of-user';
