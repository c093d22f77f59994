import express, { type Express, type RequestHandler } from 'express';
import { listen } from './audio/listen.ts';
import { speech } from './audio/speech.ts';
import { textToSpeech, textToSpeechFormat } from './audio/text-to-speech.ts';
import { transcriptions } from './audio/transcriptions.ts';
import { addAzure } from './azure/routes.ts';
import { addBedrock } from './bedrock/routes.ts';
import { chat, modelList } from './chat/format.ts';
import { cohereChat } from './cohere-chat/format.ts';
import { ApiError } from './common/api-error.ts';
import { sendJson } from './common/body.ts';
import type { ErrorFormat } from './common/format.ts';
import { fileBody, formBody, guarded } from './common/guarded.ts';
import { countRoute, generateRoute, postBody, postEither, postJson } from './common/routes.ts';
import type { Traffic } from './common/traffic.ts';
import { completions } from './completions/format.ts';
import { generateContent } from './generate-content/format.ts';
import { generateContentPath, parseCount as parseGenerateCount } from './generate-content/parse.ts';
import { imageEdits, imageForms, imageGenerations, imageNamed } from './images/answer.ts';
import { messages } from './messages/format.ts';
import { parseCount } from './messages/parse.ts';
import { Responder } from './responder/responder.ts';
import { createResponses } from './responses/format.ts';
import { embeddings } from './vectors/embeddings.ts';
import { batchEmbedContents, embedContent } from './vectors/google.ts';
import { moderations } from './vectors/moderations.ts';
import {
  cohereEmbed,
  cohereFormat,
  cohereRerank,
  rerank,
  teiEmbed,
  teiFormat,
  teiRerank,
} from './vectors/small-vendors.ts';
import { addVertex } from './vertex/routes.ts';

const audioBytes = 64 * 1_024;
const imageBytes = 50 * 1024 * 1024;

/** The simulator's routes. `/stats`, `/answers`, `/last` and images do not count as requests. */
export function createApp(traffic: Traffic): Express {
  const app = express().disable('x-powered-by').disable('etag');
  addObservation(app, traffic);
  addGeneration(app, traffic);
  addBedrock(app, traffic);
  addVectors(app, traffic);
  addImages(app, traffic);
  app.post('/v1/audio/speech', postJson(speech, traffic));
  app.post('/v1/audio/transcriptions', postBody(transcriptions('transcribe'), traffic, formBody(audioBytes)));
  app.post('/v1/audio/translations', postBody(transcriptions('translate'), traffic, formBody(audioBytes)));
  app.post('/v1/text-to-speech/:voice', postJson(textToSpeech, traffic));
  app.post('/v1/text-to-speech/:voice/stream', postJson(textToSpeech, traffic));
  app.use('/v1/text-to-speech', unknown(textToSpeechFormat, traffic));
  app.post('/v1/listen', postBody(listen, traffic, fileBody(audioBytes)));
  app.use('/v1/messages', unknown(messages, traffic));
  app.use(['/v1beta', '/v1alpha'], unknown(generateContent, traffic));
  app.post(/^\/v1\/models\//, unknown(generateContent, traffic));
  app.use('/v2', unknown(cohereFormat, traffic));
  app.use('/tei', unknown(teiFormat, traffic));
  app.use(unknown(chat, traffic));
  return app;
}

function addObservation(app: Express, traffic: Traffic): void {
  app.get('/healthz', (_request, response) => sendJson(response, 200, { status: 'ok' }));
  app.get('/stats', (_request, response) => sendJson(response, 200, traffic.stats));
  app.get('/answers', (_request, response) => sendJson(response, 200, traffic.answers));
  app.get('/last', (_request, response) => {
    const message = traffic.recording
      ? 'No request has been recorded.'
      : 'Requests are not recorded. Set SIMULATOR_RECORD=1.';
    const last = traffic.recorded.at(-1);
    sendJson(response, last ? 200 : 404, last ?? { error: { message } });
  });
  app.get(
    '/v1/models',
    guarded(chat, traffic, ({ response }) => sendJson(response, 200, modelList)),
  );
}

function addGeneration(app: Express, traffic: Traffic): void {
  const responder = new Responder();
  const responses = createResponses();
  const generate = generateContentPath('(?:generateContent|streamGenerateContent)');
  app.post('/v1/chat/completions', generateRoute(chat, responder, traffic));
  app.post('/v1/completions', generateRoute(completions, responder, traffic));
  addAzure(app, responder, responses, traffic);
  addVertex(app, responder, traffic);
  app.post('/v1/responses', generateRoute(responses.format, responder, traffic));
  app.post('/v1/messages', generateRoute(messages, responder, traffic));
  app.post('/v2/chat', generateRoute(cohereChat, responder, traffic));
  app.post(generate, generateRoute(generateContent, responder, traffic));
  app.post(
    '/v1/responses/input_tokens',
    countRoute(responses.format, traffic, responses.parseCount, responses.count),
  );
  app.post(
    '/v1/messages/count_tokens',
    countRoute(messages, traffic, parseCount, input_tokens => ({ input_tokens })),
  );
  app.post(
    generateContentPath('countTokens'),
    countRoute(generateContent, traffic, parseGenerateCount, totalTokens => ({ totalTokens })),
  );
}

function addVectors(app: Express, traffic: Traffic): void {
  app.post('/v1/embeddings', postJson(embeddings, traffic));
  app.post(generateContentPath('embedContent'), postJson(embedContent, traffic));
  app.post(generateContentPath('batchEmbedContents'), postJson(batchEmbedContents, traffic));
  app.post('/v2/embed', postJson(cohereEmbed, traffic));
  app.post('/v1/moderations', postJson(moderations, traffic));
  app.post('/v2/rerank', postJson(cohereRerank, traffic));
  app.post('/v1/rerank', postJson(rerank, traffic));
  app.post(/^\/(?:tei\/.+\/)?embed$/, postJson(teiEmbed, traffic));
  app.post(/^\/(?:tei\/.+\/)?rerank$/, postJson(teiRerank, traffic));
}

function addImages(app: Express, traffic: Traffic): void {
  app.post('/v1/images/generations', postJson(imageGenerations, traffic));
  app.post('/v1/images/edits', postEither(imageEdits, imageForms, traffic, imageBytes));
  app.get('/v1/images/files/:name', ({ params }, response) => {
    const image = imageNamed(params.name);
    if (!image) return sendJson(response, 404, { error: { message: 'The image does not exist.' } });
    response.type('image/png').send(image);
  });
}

function unknown(format: ErrorFormat, traffic: Traffic): RequestHandler {
  return guarded(format, traffic, ({ request: { method, originalUrl } }) => {
    const [path] = originalUrl.split('?');
    throw new ApiError(404, `Invalid URL (${method} ${path})`, 'unknown_url');
  });
}
