import { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { ErrorFormat } from '../common/format.ts';
import { exceptionFrame } from './frames.ts';
import { checkSignature } from './signature.ts';

/** Names of exceptions by status. */
const names: Record<number, string> = {
  400: 'ValidationException',
  402: 'ServiceQuotaExceededException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  413: 'ValidationException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

/** Errors as Bedrock writes them: the name of the exception is in a header. */
export const bedrockErrors = {
  overloaded: 503,
  headers: requestId => ({ 'x-amzn-requestid': requestId }),
  key: headers => bearer(headers),
  badKey: () =>
    new ApiError(
      403,
      'Authentication failed: Please make sure your API Key is valid.',
      'AccessDeniedException',
    ),
  errorBody: ({ message }) => ({ message }),
  errorHeaders: error => ({
    'x-amzn-errortype': `${nameOf(error)}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
  }),
  authorize: checkSignature,
} satisfies ErrorFormat;

/** The frame of an error within a stream. */
export function errorFrame(error: ApiError): Buffer {
  const name = nameOf(error);
  return exceptionFrame(name.charAt(0).toLowerCase() + name.slice(1), error.message);
}

function nameOf({ status, code }: ApiError): string {
  return code?.endsWith('Exception') ? code : (names[status] ?? 'InternalServerException');
}

export function invalid(message: string): ApiError {
  return new ApiError(400, message, 'ValidationException');
}

/** @throws ApiError for the guardrail `missing`, which does not exist */
export function checkGuardrail(identifier: unknown): void {
  if (identifier === 'missing')
    throw invalid('The guardrail identifier or version provided in the request does not exist.');
}

/** The model in `/model/<id>/converse`. */
export function modelIn(url: string): string {
  const [, model = ''] = /^\/model\/([^/]+)\//.exec(url) ?? [];
  return decodeURIComponent(model);
}
