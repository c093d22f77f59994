import type { IncomingHttpHeaders } from 'node:http';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { ErrorFormat, Flow, Format, ParsedRequest } from '../format.ts';
import type { IssuedTokens } from '../issued-tokens.ts';
import type { Api } from '../routes.ts';

/** The parts of Azure's wire formats that differ from OpenAI's. */
type AzureErrors = Pick<ErrorFormat, 'headers' | 'key' | 'badKey' | 'errorBody'>;

/** Returns the errors and credentials of Azure: its key in `api-key`, or a token of Entra ID. */
export function azureErrors(tokens: IssuedTokens): AzureErrors {
  return {
    headers: requestId => ({
      'x-request-id': requestId,
      'apim-request-id': requestId,
      'x-ms-region': 'Simulator',
    }),
    key: headers => keyOf(headers, tokens),
    badKey: () => new ApiError(401, deniedMessage, '401'),
    errorBody,
  };
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

/** Returns a format as Azure speaks it. */
export function azureFormat<A extends ParsedRequest>(format: Format<A>, errors: AzureErrors): Format<A> {
  return {
    ...format,
    ...errors,
    parse: (body, headers, url) => format.parse(addressed(body, url), headers, url),
  };
}

/** Returns the chat format as Azure speaks it: the first chunk of a stream says what the prompt's filter found. */
export function azureChat<A extends ParsedRequest>(format: Format<A>, errors: AzureErrors): Format<A> {
  return {
    ...azureFormat(format, errors),
    stream: (parsed, answer) => withPromptResults(format.stream(parsed, answer)),
  };
}

function withPromptResults(flow: Flow): Flow {
  const results = [{ prompt_index: 0, content_filter_results: safe }];
  const first = { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: results };
  return { ...flow, opening: [sseEvent(dataJson(first)), ...flow.opening] };
}

/** Returns another API as Azure speaks it. A form names its deployment itself, too. */
export function azureApi<A extends { model: string }, Body>(
  api: Api<A, Body>,
  errors: AzureErrors,
): Api<A, Body> {
  return {
    ...api,
    format: { ...api.format, ...errors },
    parse(body, headers, url) {
      const named = addressed(body, url);
      return api.parse(named as Body, headers, url);
    },
  };
}

/** Returns a body with the deployment of its path as the model. @throws ApiError in Azure's words */
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
