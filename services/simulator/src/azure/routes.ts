import type { Express } from 'express';
import { ApiError } from '../api-error.ts';
import { speech } from '../audio/speech.ts';
import { transcriptions } from '../audio/transcriptions.ts';
import { chat } from '../chat/format.ts';
import { completions } from '../completions/format.ts';
import { guarded } from '../guarded.ts';
import { imageEdits, imageForms, imageGenerations } from '../images/answer.ts';
import { IssuedTokens } from '../issued-tokens.ts';
import type { Responder } from '../responder/responder.ts';
import type { createResponses } from '../responses/format.ts';
import { countRoute, generateRoute, postForm, postJson } from '../routes.ts';
import type { Traffic } from '../traffic.ts';
import { embeddings } from '../vectors/embeddings.ts';
import { addEntra } from './entra.ts';
import { azureApi, azureChat, azureErrors, azureFormat } from './format.ts';

const keptBytes = 64 * 1_024;
const imageBytes = 50 * 1024 * 1024;

/** Adds Azure OpenAI: paths of deployments with an API version, and those of the v1 API, with a login service. */
export function addAzure(
  app: Express,
  responder: Responder,
  responses: ReturnType<typeof createResponses>,
  traffic: Traffic,
): void {
  const tokens = new IssuedTokens();
  const errors = azureErrors(tokens);
  addEntra(app, tokens, traffic);
  const format = azureFormat(responses.format, errors);
  app.post(['/openai/responses', '/openai/v1/responses'], generateRoute(format, responder, traffic));
  app.post(
    ['/openai/responses/input_tokens', '/openai/v1/responses/input_tokens'],
    countRoute(format, traffic, responses.parseCount, prompt => ({
      object: 'response.input_tokens',
      input_tokens: responder.count(prompt),
    })),
  );
  const deployed = {
    'chat/completions': generateRoute(azureChat(chat, errors), responder, traffic),
    completions: generateRoute(azureFormat(completions, errors), responder, traffic),
    embeddings: postJson(azureApi(embeddings, errors), traffic),
    'images/generations': postJson(azureApi(imageGenerations, errors), traffic),
    'audio/speech': postJson(azureApi(speech, errors), traffic),
    'audio/transcriptions': postForm(azureApi(transcriptions('transcribe'), errors), traffic, keptBytes),
    'audio/translations': postForm(azureApi(transcriptions('translate'), errors), traffic, keptBytes),
  };
  for (const [path, handler] of Object.entries(deployed)) app.post(placesOf(path), handler);
  const asJson = postJson(azureApi(imageEdits, errors), traffic);
  const asForm = postForm(azureApi(imageForms, errors), traffic, imageBytes);
  app.post(placesOf('images/edits'), (request, response, next) =>
    (request.is('application/json') ? asJson : asForm)(request, response, next),
  );
  app.use(
    '/openai',
    guarded({ ...chat, ...errors }, traffic, () => {
      throw new ApiError(404, 'Resource not found', '404');
    }),
  );
}

/** The paths of an API: below a deployment, and in the v1 API. */
function placesOf(path: string): string[] {
  return [`/openai/deployments/:deployment/${path}`, `/openai/v1/${path}`];
}
