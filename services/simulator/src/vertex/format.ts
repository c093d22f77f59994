import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { ErrorFormat, Format, ParsedRequest } from '../format.ts';
import { generateContent } from '../generate-content/format.ts';
import type { IssuedTokens } from '../issued-tokens.ts';
import { messages } from '../messages/format.ts';
import type { ParsedMessages } from '../messages/parse.ts';
import type { Api } from '../routes.ts';

/** The credentials of Google Cloud: a token of an account, or an API key. */
export function googleKey(tokens: IssuedTokens): Pick<ErrorFormat, 'key' | 'badKey'> {
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

/** Returns a format as Vertex AI serves it: requests name their place, and Google Cloud refuses what is not there. */
export function vertexFormat<A extends ParsedRequest>(
  format: Format<A>,
  key: ReturnType<typeof googleKey>,
): Format<A> {
  return {
    ...format,
    ...key,
    errorBody: errorsOf(format),
    parse(body, headers, url) {
      checkPlace(url);
      return format.parse(body, headers, url);
    },
  };
}

/** Returns another API as Vertex AI serves it. */
export function vertexApi<A extends { model: string }>(
  api: Api<A>,
  key: ReturnType<typeof googleKey>,
): Api<A> {
  return {
    ...api,
    format: { ...api.format, ...key, errorBody: errorsOf(api.format) },
    parse(body, headers, url) {
      checkPlace(url);
      return api.parse(body, headers, url);
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
export function checkPlace(url: string): void {
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
export function vertexMessages(key: ReturnType<typeof googleKey>): Format<ParsedMessages> {
  const format = vertexFormat(messages, key);
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
export function versioned(
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
