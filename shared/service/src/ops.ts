import express, { type Router } from 'express';
import { noSniff } from './chunked-response.ts';
import type { Registry } from './metrics/index.ts';

/** Returns the problems of a process, a sentence each; none if it is ready. */
type Problems = () => string[];

interface OpsRoutes {
  metrics: Registry;
  problems: Problems;
  notices?: Problems | undefined;
  /** Further routes of the service. */
  more?: Router | undefined;
}

/**
 * Creates the operator's routes of a process: liveness, readiness, Prometheus metrics and the service's own.
 */
export function opsRoutes({ metrics, problems, notices, more }: OpsRoutes): express.Express {
  const app = healthRoutes(problems, notices);
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  if (more) app.use(more);
  return app;
}

/**
 * Creates only the liveness and readiness routes, for a port that clients reach. `notices` are reported
 * without making the process unready.
 */
export function healthRoutes(problems: Problems, notices: Problems = () => []): express.Express {
  const app = express().disable('x-powered-by').use(noSniff);
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', (_request, response) => {
    const found = problems();
    const known = notices();
    const status = found.length > 0 ? 'unready' : known.length > 0 ? 'degraded' : 'ok';
    response.status(status === 'unready' ? 503 : 200).json({ status, problems: [...found, ...known] });
  });
  return app;
}
