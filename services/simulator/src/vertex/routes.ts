import type { IncomingHttpHeaders } from 'node:http';
import type { Express } from 'express';
import { chat } from '../chat/format.ts';
import { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { ErrorFormat, Format } from '../common/format.ts';
import { IssuedTokens } from '../common/issued-tokens.ts';
import { apiAt, countRoute, type Elsewhere, formatAt, generateRoute, postJson } from '../common/routes.ts';
import type { Traffic } from '../common/traffic.ts';
import { generateContent } from '../generate-content/format.ts';
import { parse as parseGenerate } from '../generate-content/parse.ts';
import { messages } from '../messages/format.ts';
import { type ParsedMessages, parseCount } from '../messages/parse.ts';
import type { Responder } from '../responder/responder.ts';
import { embedContentAtVertex, predict } from '../vectors/google.ts';
import { addGoogleAccount } from './google-account.ts';

/** Adds Vertex AI: models of Google, of Anthropic, and of others in OpenAI's format, with a service account. */
export function addVertex(app: Express, responder: Responder, traffic: Traffic): void {
  const tokens = new IssuedTokens();
  const vertex = vertexOf(tokens);
  addGoogleAccount(app, tokens, traffic);
  const gemini = formatAt(generateContent, vertex);
  const claude = vertexMessages(vertex);
  app.post(google('(?:generateContent|streamGenerateContent)'), generateRoute(gemini, responder, traffic));
  // A count of tokens has the fields of the request itself.
  app.post(
    google('countTokens'),
    countRoute(gemini, traffic, parseGenerate, totalTokens => ({ totalTokens })),
  );
  app.post(google('predict'), postJson(apiAt(predict, vertex), traffic));
  app.post(google('embedContent'), postJson(apiAt(embedContentAtVertex, vertex), traffic));
  app.post(
    placed('/publishers/anthropic/models/count-tokens:rawPredict'),
    countRoute(
      claude,
      traffic,
      (body, headers) => {
        const { fields, header } = versioned(body, headers);
        return parseCount(fields, header);
      },
      input_tokens => ({ input_tokens }),
    ),
  );
  app.post(
    placed('/publishers/anthropic/models/[^/]+:(?:rawPredict|streamRawPredict)'),
    generateRoute(claude, responder, traffic),
  );
  app.post(
    placed('/endpoints/openapi/chat/completions'),
    generateRoute(formatAt(chat, vertex), responder, traffic),
  );
}

/** A path below a project and a location. */
function placed(path: string): RegExp {
  return new RegExp(`^/v1(?:beta1)?/projects/[^/]+/locations/[^/]+${path}$`);
}

/** The path of a method of Google's models, which an API key alone reaches without a project. */
function google(method: string): RegExp {
  return new RegExp(
    `^/v1(?:beta1)?(?:/projects/[^/]+/locations/[^/]+)?/publishers/google/models/[^/]+:${method}$`,
  );
}

/** The credentials of Google Cloud: a token of an account, or an API key. */
function googleKey(tokens: IssuedTokens): Pick<ErrorFormat, 'key' | 'badKey'> {
  return {
    key(headers) {
      const key = headers['x-goog-api-key']?.toString();
      if (key !== undefined) return key;
      const token = bearer(headers);
      return token !== undefined && tokens.has(token) ? token : 'invalid';
    },
    badKey: () =>
      new ApiError(
        401,
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
        googleError,
      ),
  };
}

/** The code of errors that Google Cloud writes in its own shape, whatever the format of the API. */
const googleError = 'google';

/** Returns how Vertex AI serves an API: requests name their place, and Google Cloud refuses what is not there. */
function vertexOf(tokens: IssuedTokens): Elsewhere {
  const key = googleKey(tokens);
  return {
    errors: format => ({ ...key, errorBody: errorsOf(format) }),
    addressed(body, url) {
      checkPlace(url);
      return body;
    },
  };
}

function errorsOf(format: ErrorFormat): ErrorFormat['errorBody'] {
  return (error, requestId, url) =>
    error.code === googleError
      ? generateContent.errorBody(error, requestId, url)
      : format.errorBody(error, requestId, url);
}

/** Every project, location and model exists, unless its name begins with `missing`. @throws ApiError as Google Cloud would */
function checkPlace(url: string): void {
  const { pathname } = new URL(url, 'http://vertex.example');
  const [, project = '', location = ''] = /\/projects\/([^/]+)\/locations\/([^/]+)\//.exec(pathname) ?? [];
  if (project.startsWith('missing'))
    throw new ApiError(
      403,
      `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/${project}/locations/${location}' (or it may not exist).`,
      googleError,
    );
  const [, publisher, model = ''] = /\/publishers\/([^/]+)\/models\/([^/:]+)/.exec(pathname) ?? [];
  if (model.startsWith('missing'))
    throw new ApiError(
      404,
      `Publisher Model \`projects/${project}/locations/${location}/publishers/${publisher}/models/${model}\` was not found or your project does not have access to it.`,
      googleError,
    );
}

/** Anthropic's models on Vertex AI: the model and the method are in the path, and the version in the body. */
function vertexMessages(vertex: Elsewhere): Format<ParsedMessages> {
  const format = formatAt(messages, vertex);
  return {
    ...format,
    parse(body, headers, url) {
      const [, model = '', method] =
        /\/models\/([^/]+):(\w+)$/.exec(new URL(url, 'http://vertex.example').pathname) ?? [];
      const { fields: sent, header } = versioned(body, headers);
      const { stream, ...fields } = sent;
      if ('model' in fields) throw invalid('model: Extra inputs are not permitted');
      const streams = method === 'streamRawPredict';
      if (Boolean(stream) !== streams) throw invalid(`stream: does not fit the method ${method}`);
      return format.parse({ ...fields, stream: streams, model: decodeURIComponent(model) }, header, url);
    },
  };
}

/**
 * Returns the body of a request to Anthropic without its version, and the header in which Anthropic itself takes the
 * version. @throws ApiError for a version in another place, or in none
 */
function versioned(
  body: unknown,
  headers: IncomingHttpHeaders,
): { fields: Record<string, unknown>; header: IncomingHttpHeaders } {
  const { anthropic_version: named, ...fields } = Object(body) as Record<string, unknown>;
  const version = named === 'vertex-2023-10-16' ? '2023-06-01' : named;
  if (version !== '2023-06-01' && version !== '2026-10-21')
    throw invalid("anthropic_version: Input should be 'vertex-2023-10-16'");
  if ('anthropic-version' in headers) throw invalid('anthropic-version: the version belongs into the body');
  return { fields, header: { 'anthropic-version': version } };
}

function invalid(message: string): ApiError {
  return new ApiError(400, message, 'invalid_request_error');
}
