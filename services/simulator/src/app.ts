import express, { type Express, type Response } from 'express';
import { chat } from './chat/format.ts';
import { modelList } from './chat/models.ts';
import { cohere } from './cohere/format.ts';
import { completions } from './completions/format.ts';
import { errand, exchange, inquiry } from './exchange.ts';
import type { Refusing } from './format.ts';
import { generateContent } from './generate-content/format.ts';
import { parseCount as parseGenerateCount } from './generate-content/parse.ts';
import { googlePath } from './generate-content/target.ts';
import { tokenCount } from './generate-content/usage.ts';
import { guarded } from './guarded.ts';
import { addImageRoutes } from './images/routes.ts';
import { messages } from './messages/format.ts';
import { parseCount } from './messages/parse.ts';
import { Mind } from './mind/mind.ts';
import { Refusal } from './refusal.ts';
import { createResponses } from './responses/format.ts';
import { sendJson } from './send-json.ts';
import { parse as parseSpeech } from './speech/parse.ts';
import { speak } from './speech/speech.ts';
import { tei } from './tei/format.ts';
import type { Traffic } from './traffic.ts';
import { transcriptions } from './transcriptions/transcribe.ts';
import { addVectorRoutes } from './vectors/routes.ts';

/** The simulator's routes. Those that only observe, `/stats` and `/last`, are not traffic themselves. */
export function createApp(traffic: Traffic): Express {
  const app = express().disable('x-powered-by').disable('etag');
  const mind = new Mind();
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/stats', (_request, response) => sendJson(response, 200, traffic.stats));
  app.get('/last', (_request, response) => showLast(traffic, response));
  app.get(
    '/v1/models',
    guarded(chat, traffic, ({ response }) => sendJson(response, 200, modelList)),
  );
  app.post('/v1/chat/completions', exchange(chat, mind, traffic));
  app.post('/v1/completions', exchange(completions, mind, traffic));
  app.post('/v1/audio/speech', errand(chat, traffic, parseSpeech, speak));
  app.post('/v1/audio/transcriptions', transcriptions(traffic, 'transcribe'));
  app.post('/v1/audio/translations', transcriptions(traffic, 'translate'));
  const responses = createResponses();
  app.post('/v1/responses', exchange(responses.format, mind, traffic));
  app.post(
    '/v1/responses/input_tokens',
    inquiry(responses.format, traffic, responses.parseCount, prompt => ({
      object: 'response.input_tokens',
      input_tokens: mind.count(prompt),
    })),
  );
  app.post('/v1/messages', exchange(messages, mind, traffic));
  app.post(
    '/v1/messages/count_tokens',
    inquiry(messages, traffic, parseCount, prompt => ({ input_tokens: mind.count(prompt) })),
  );
  app.post(googlePath('(?:generateContent|streamGenerateContent)'), exchange(generateContent, mind, traffic));
  app.post(
    googlePath('countTokens'),
    inquiry(generateContent, traffic, parseGenerateCount, prompt => tokenCount(mind.count(prompt))),
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

function unknown(format: Refusing, traffic: Traffic): express.RequestHandler {
  return guarded(format, traffic, ({ request: { method, originalUrl } }) => {
    const [path] = originalUrl.split('?');
    throw new Refusal(404, `Invalid URL (${method} ${path})`, 'unknown_url');
  });
}
