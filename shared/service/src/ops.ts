import express, { type Router } from 'express';
import type { Registry } from './metrics.ts';

/** What is wrong with a process, in a sentence each; none means ready. */
export type Problems = () => string[];

export interface OpsRoutes {
  metrics: Registry;
  problems: Problems;
  notices?: Problems | undefined;
  /** The service's own. */
  more?: Router | undefined;
}

/** The routes that every process answers for those who operate it: liveness, readiness, Prometheus metrics, and the service's own. */
export function opsRoutes({ metrics, problems, notices, more }: OpsRoutes): express.Express {
  const app = healthRoutes(problems, notices);
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  if (more) app.use(more);
  return app;
}

/** Liveness and readiness alone; `notices` are told without making it unready, for a port that clients reach. */
export function healthRoutes(problems: Problems, notices: Problems = () => []): express.Express {
  const app = express().disable('x-powered-by');
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
