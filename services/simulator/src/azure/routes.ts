import type { IncomingHttpHeaders } from 'node:http';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { Express } from 'express';
import { speech } from '../audio/speech.ts';
import { transcriptions } from '../audio/transcriptions.ts';
import { chat } from '../chat/format.ts';
import { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { ErrorFormat, Flow, Format, ParsedRequest } from '../common/format.ts';
import { formBody, guarded } from '../common/guarded.ts';
import { IssuedTokens } from '../common/issued-tokens.ts';
import {
  apiAt,
  countRoute,
  type Elsewhere,
  formatAt,
  generateRoute,
  postBody,
  postEither,
  postJson,
} from '../common/routes.ts';
import type { Traffic } from '../common/traffic.ts';
import { completions } from '../completions/format.ts';
import { imageEdits, imageForms, imageGenerations } from '../images/answer.ts';
import type { Responder } from '../responder/responder.ts';
import type { createResponses } from '../responses/format.ts';
import { embeddings } from '../vectors/embeddings.ts';
import { addEntra } from './entra.ts';

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
  const azure: Elsewhere = { errors: () => errors, addressed };
  addEntra(app, tokens, traffic);
  const format = formatAt(responses.format, azure);
  app.post(['/openai/responses', '/openai/v1/responses'], generateRoute(format, responder, traffic));
  app.post(
    ['/openai/responses/input_tokens', '/openai/v1/responses/input_tokens'],
    countRoute(format, traffic, responses.parseCount, responses.count),
  );
  const deployed = {
    'chat/completions': generateRoute(azureChat(chat, azure), responder, traffic),
    completions: generateRoute(formatAt(completions, azure), responder, traffic),
    embeddings: postJson(apiAt(embeddings, azure), traffic),
    'images/generations': postJson(apiAt(imageGenerations, azure), traffic),
    'images/edits': postEither(apiAt(imageEdits, azure), apiAt(imageForms, azure), traffic, imageBytes),
    'audio/speech': postJson(apiAt(speech, azure), traffic),
    'audio/transcriptions': postBody(
      apiAt(transcriptions('transcribe'), azure),
      traffic,
      formBody(keptBytes),
    ),
    'audio/translations': postBody(apiAt(transcriptions('translate'), azure), traffic, formBody(keptBytes)),
  };
  for (const [path, handler] of Object.entries(deployed)) app.post(placesOf(path), handler);
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

/** Returns the errors and credentials of Azure: its key in `api-key`, or a token of Entra ID. */
function azureErrors(tokens: IssuedTokens) {
  return {
    headers: requestId => ({
      'x-request-id': requestId,
      'apim-request-id': requestId,
      'x-ms-region': 'Simulator',
    }),
    key: headers => keyOf(headers, tokens),
    badKey: () => new ApiError(401, deniedMessage, '401'),
    errorBody,
  } satisfies Partial<ErrorFormat>;
}

const deniedMessage =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';

function keyOf(headers: IncomingHttpHeaders, tokens: IssuedTokens): string {
  const key = headers['api-key']?.toString();
  if (key !== undefined) return key;
  const token = bearer(headers);
  return token !== undefined && tokens.has(token) ? token : 'invalid';
}

function errorBody({ status, message, code, param }: ApiError) {
  const filtered = code === 'content_filter';
  return {
    error: {
      ...(filtered && { innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: found } }),
      code: code ?? String(status),
      message,
      param,
      type: null,
      ...(filtered && { status }),
    },
  };
}

const found = { hate: { filtered: true, severity: 'high' }, violence: { filtered: false, severity: 'safe' } };
const safe = { hate: { filtered: false, severity: 'safe' }, violence: { filtered: false, severity: 'safe' } };

/** Returns the chat format as Azure speaks it: the first chunk of a stream says what the prompt's filter found. */
function azureChat<A extends ParsedRequest>(format: Format<A>, azure: Elsewhere): Format<A> {
  return {
    ...formatAt(format, azure),
    stream: (parsed, answer) => withPromptResults(format.stream(parsed, answer)),
  };
}

function withPromptResults(flow: Flow): Flow {
  const results = [{ prompt_index: 0, content_filter_results: safe }];
  const first = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: results };
  return { ...flow, opening: [sseEvent(dataJson(first)), ...flow.opening] };
}

/** Returns a body with the deployment of its path as the model. A form names its deployment itself, too. @throws ApiError in Azure's words */
function addressed(body: unknown, url: string): unknown {
  const { pathname, searchParams } = new URL(url, 'http://azure.example');
  const [, encoded] = /^\/openai\/deployments\/([^/]+)\//.exec(pathname) ?? [];
  checkVersion(pathname, searchParams.get('api-version'), encoded !== undefined);
  const fields = Object(body) as Record<string, unknown>;
  const deployment = encoded === undefined ? fields.model : decodeURIComponent(encoded);
  if (typeof deployment === 'string') checkDeployment(deployment);
  const isForm = 'fields' in fields;
  return encoded === undefined || isForm ? body : { ...fields, model: deployment };
}

function checkVersion(path: string, version: string | null, isDated: boolean): void {
  if (path.startsWith('/openai/v1/')) {
    if (version === null || ['v1', 'preview', 'latest'].includes(version)) return;
    throw new ApiError(400, 'api-version query parameter is not allowed when using /v1 path', 'BadRequest');
  }
  if (version === null || (isDated && version < '2023-05-15'))
    throw new ApiError(404, 'Resource not found', '404');
  if (!isDated && version < '2025-03-01') {
    const message = 'Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later';
    throw new ApiError(400, message, 'BadRequest');
  }
}

/** Every deployment exists, unless its name begins with `missing`. One that begins with `filtered` refuses its prompts. */
function checkDeployment(name: string): void {
  if (name.startsWith('missing'))
    throw new ApiError(
      404,
      'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      'DeploymentNotFound',
    );
  if (name.startsWith('filtered'))
    throw new ApiError(
      400,
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      'content_filter',
      'prompt',
    );
}
