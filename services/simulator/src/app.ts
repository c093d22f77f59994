import express, { type Express, type Response } from 'express';
import { chat } from './chat/format.ts';
import { modelList } from './chat/models.ts';
import { exchange, guarded, sendJson } from './exchange.ts';
import { Mind } from './mind/mind.ts';
import { Refusal } from './refusal.ts';
import type { Traffic } from './traffic.ts';

/** The simulator's routes. Those that only observe, `/stats` and `/last`, are not traffic themselves. */
export function createApp(traffic: Traffic): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const mind = new Mind();
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/stats', (_request, response) => sendJson(response, 200, traffic.stats));
  app.get('/last', (_request, response) => showLast(traffic, response));
  app.use(named());
  app.get(
    '/v1/models',
    guarded(chat, traffic, (_request, response) => sendJson(response, 200, modelList)),
  );
  app.post('/v1/chat/completions', exchange(chat, mind, traffic));
  app.use(
    guarded(chat, traffic, ({ method, path }) => {
      throw new Refusal(404, `Invalid URL (${method} ${path})`, 'unknown_url');
    }),
  );
  return app;
}

function showLast(traffic: Traffic, response: Response): void {
  const { last } = traffic;
  if (last) return sendJson(response, 200, last);
  const why = traffic.recording
    ? 'No request came yet.'
    : 'Requests are recorded only with SIMULATOR_RECORD=1.';
  sendJson(response, 404, { error: { message: why } });
}

/** Gives each answer the headers that a vendor's has. */
function named(): express.RequestHandler {
  let count = 0;
  return (_request, response, next) => {
    response.setHeader('x-request-id', `req_${(++count).toString(16).padStart(12, '0')}`);
    response.setHeader('openai-version', '2020-10-01');
    next();
  };
}
