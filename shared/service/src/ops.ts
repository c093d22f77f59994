import express from 'express';
import type { Registry } from './metrics.ts';

/** What is wrong with a process, in a sentence each; none means ready. */
export type Problems = () => string[];

/** The routes that every process answers for those who operate it: liveness, readiness, Prometheus metrics. */
export function opsRoutes(metrics: Registry, problems: Problems): express.Express {
  const app = healthRoutes(problems);
  app.get('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics());
  });
  return app;
}

/** Liveness and readiness alone, for a port that clients reach. */
export function healthRoutes(problems: Problems): express.Express {
  const app = express().disable('x-powered-by');
  app.get('/healthz', (_request, response) => {
    response.json({ status: 'ok' });
  });
  app.get('/readyz', (_request, response) => {
    const found = problems();
    response
      .status(found.length === 0 ? 200 : 503)
      .json({ status: found.length === 0 ? 'ok' : 'unready', problems: found });
  });
  return app;
}
