import express, { type Express, type Response } from 'express';
import { ApiError } from './api-error.ts';
import { parseSpeech, speak } from './audio/speech.ts';
import { transcriptions } from './audio/transcriptions.ts';
import { sendJson } from './body.ts';
import { chat, modelList } from './chat/format.ts';
import { completions } from './completions/format.ts';
import type { ErrorFormat } from './format.ts';
import { generateContent } from './generate-content/format.ts';
import { generateContentPath, parseCount as parseGenerateCount } from './generate-content/parse.ts';
import { tokenCount } from './generate-content/whole.ts';
import { guarded } from './guarded.ts';
import { addImageRoutes } from './images/routes.ts';
import { messages } from './messages/format.ts';
import { parseCount } from './messages/parse.ts';
import { Responder } from './responder/responder.ts';
import { createResponses } from './responses/format.ts';
import { countRoute, generateRoute, postJson } from './routes.ts';
import type { Traffic } from './traffic.ts';
import { cohere } from './vectors/cohere.ts';
import { addVectorRoutes } from './vectors/routes.ts';
import { tei } from './vectors/tei.ts';

/** The simulator's routes. Those that only observe, `/stats` and `/last`, are not traffic themselves. */
export function createApp(traffic: Traffic): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const responder = new Responder();
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/stats', (_request, response) => sendJson(response, 200, traffic.stats));
  app.get('/last', (_request, response) => showLast(traffic, response));
  app.get(
    '/v1/models',
    guarded(chat, traffic, ({ response }) => sendJson(response, 200, modelList)),
  );
  app.post('/v1/chat/completions', generateRoute(chat, responder, traffic));
  app.post('/v1/completions', generateRoute(completions, responder, traffic));
  app.post('/v1/audio/speech', postJson(chat, traffic, parseSpeech, speak));
  app.post('/v1/audio/transcriptions', transcriptions(traffic, 'transcribe'));
  app.post('/v1/audio/translations', transcriptions(traffic, 'translate'));
  const responses = createResponses();
  app.post('/v1/responses', generateRoute(responses.format, responder, traffic));
  app.post(
    '/v1/responses/input_tokens',
    countRoute(responses.format, traffic, responses.parseCount, prompt => ({
      object: 'response.input_tokens',
      input_tokens: responder.count(prompt),
    })),
  );
  app.post('/v1/messages', generateRoute(messages, responder, traffic));
  app.post(
    '/v1/messages/count_tokens',
    countRoute(messages, traffic, parseCount, prompt => ({ input_tokens: responder.count(prompt) })),
  );
  app.post(
    generateContentPath('(?:generateContent|streamGenerateContent)'),
    generateRoute(generateContent, responder, traffic),
  );
  app.post(
    generateContentPath('countTokens'),
    countRoute(generateContent, traffic, parseGenerateCount, prompt => tokenCount(responder.count(prompt))),
  );
  addVectorRoutes(app, traffic);
  addImageRoutes(app, traffic);
  app.use('/v1/messages', unknown(messages, traffic));
  app.use(['/v1beta', '/v1alpha'], unknown(generateContent, traffic));
  app.post(/^\/v1\/models\//, unknown(generateContent, traffic));
  app.use('/v2', unknown(cohere, traffic));
  app.use('/tei', unknown(tei, traffic));
  app.use(unknown(chat, traffic));
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

function unknown(format: ErrorFormat, traffic: Traffic): express.RequestHandler {
  return guarded(format, traffic, ({ request: { method, originalUrl } }) => {
    const [path] = originalUrl.split('?');
    throw new ApiError(404, `Invalid URL (${method} ${path})`, 'unknown_url');
  });
}
