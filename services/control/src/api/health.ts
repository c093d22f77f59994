import { healthQuery } from '@model-gateway/admin-api';
import { overloaded } from '@model-gateway/canonical';
import type { HealthFollower } from '../health/health.ts';
import { reportHealth } from './health-report.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

const unknown =
  'The state of the targets was not read from NATS yet, or NATS cannot be reached. Retry in a few seconds.';

/** Returns the state of targets and keys; a 503 while it may be out of date. */
export function showHealth(health: HealthFollower): Handlers['showHealth'] {
  return (request, response) => {
    const query = parseQuery(healthQuery, request.query);
    const now = Date.now();
    const followed = health.current(now);
    if (!followed)
      throw overloaded('health_unknown', unknown, { code: 'health_unknown', retryAfterMs: 1_000 });
    response.json(reportHealth(followed, query, now));
  };
}
