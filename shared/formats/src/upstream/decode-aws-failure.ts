import { contextLengthCode, type ErrorDetails, type ErrorKind, GatewayError } from '@model-gateway/canonical';
import { meaningOfWords } from '@model-gateway/providers/refusals';
import type { UpstreamFailure } from './dialect.ts';
import { defaultMessage, keyRefused, retryAfter } from './failure-body.ts';
import { parseObject } from './read-json.ts';

/**
 * Kinds of the exceptions of Bedrock's runtime (the models of @aws-sdk/client-bedrock-runtime), and of those that AWS's
 * front ends add (Common Errors in the API reference).
 */
const kinds: Record<string, ErrorKind> = {
  ValidationException: 'invalid-request',
  SerializationException: 'invalid-request',
  ConflictException: 'invalid-request',
  ResourceNotFoundException: 'not-found',
  ThrottlingException: 'rate-limited',
  TooManyRequestsException: 'rate-limited',
  ServiceQuotaExceededException: 'quota-exceeded',
  ModelNotReadyException: 'overloaded',
  ServiceUnavailableException: 'overloaded',
  ModelTimeoutException: 'timeout',
  ModelErrorException: 'upstream',
  ModelStreamErrorException: 'upstream',
  InternalServerException: 'upstream',
};

/** Exceptions about the keys of a request, with what an operator changes. */
const keyFaults: Record<string, string> = {
  UnrecognizedClientException: 'AWS does not know the key: check apiKey and options.accessKeyId',
  InvalidClientTokenId: 'AWS does not know the key: check apiKey and options.accessKeyId',
  InvalidSignatureException:
    "the signature is wrong: check apiKey, which is the secret of options.accessKeyId, options.region and the worker's clock",
  SignatureDoesNotMatch:
    "the signature is wrong: check apiKey, which is the secret of options.accessKeyId, options.region and the worker's clock",
  IncompleteSignatureException: 'the signature is incomplete: a proxy may have changed the request',
  MissingAuthenticationTokenException: 'the request has no credential, or a proxy removed it',
  MissingAuthenticationToken: 'the request has no credential, or a proxy removed it',
  ExpiredTokenException: 'the credentials have expired',
  ExpiredToken: 'the credentials have expired',
  OptInRequired: 'the account is not subscribed to the service',
};

const kindOfStatus: Record<number, ErrorKind> = {
  400: 'invalid-request',
  404: 'not-found',
  408: 'timeout',
  413: 'too-large',
  429: 'rate-limited',
  503: 'overloaded',
  504: 'timeout',
};

/** Translates a failed response of AWS. */
export function decodeAwsFailure(failure: UpstreamFailure): GatewayError {
  const { provider, status, headers } = failure;
  const { type, message } = readFailure(failure);
  const requestId = headers['x-amzn-requestid'];
  return awsError(type, message, status, {
    ...retryAfter(headers, status),
    upstream: { provider, status, ...(typeof requestId === 'string' && { requestId }) },
  });
}

/** True if AWS wrote a failed response, which then names an exception. */
export function isAwsFailure(failure: UpstreamFailure): boolean {
  return readFailure(failure).type !== '';
}

/** Reads the exception's name and message: `x-amzn-errortype` is `Name` or `Name:url`, `__type` is `Name` or `namespace#Name`. */
function readFailure({ headers, body }: UpstreamFailure): { type: string; message: string | undefined } {
  const value = parseObject(body.toString('utf8')) ?? {};
  const text = (field: unknown) => (typeof field === 'string' && field !== '' ? field : undefined);
  const output = value.Output as { __type?: unknown } | undefined;
  const type = text(headers['x-amzn-errortype']) ?? text(value.__type) ?? text(output?.__type) ?? '';
  return {
    type: type.split(':')[0]?.split('#').at(-1) ?? '',
    message: text(value.message) ?? text(value.Message),
  };
}

/** Messages about a model's name, which Bedrock sends as errors of validation. */
const wrongModel =
  /model identifier is invalid|on-demand throughput (?:isn.t|is not) supported|inference profile (?:is )?not (?:found|exist)/i;
/** Messages about the guardrail that the provider's options name. */
const wrongGuardrail = /guardrail identifier/i;
const wrongKey = /authentication failed|api key|security token/i;

/** Returns the error of an exception by its name, which begins with a small letter within a stream. */
export function awsError(
  name: string,
  message: string | undefined,
  status?: number,
  details: ErrorDetails = {},
): GatewayError {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const shown = message ?? (status === undefined ? 'The upstream failed.' : defaultMessage(status));
  const keyFault = keyFaultOf(type, shown, status);
  if (keyFault) return refusedKey(type, keyFault, details);
  if (type === 'UnknownOperationException')
    return new GatewayError(
      'upstream',
      "The upstream has no such path: the provider's baseUrl may be wrong.",
      details,
    );
  if (wrongGuardrail.test(shown))
    return new GatewayError('upstream', shown, { ...details, fault: wrongGuardrailFault });
  const kind = kindOf(type, shown, status);
  // Some models report it as an error of the model, within a stream too.
  const tooLong = mayBeTooLong.has(kind) && meaningOfWords(shown) === 'too-long';
  if (tooLong) return new GatewayError('invalid-request', shown, { ...details, code: contextLengthCode });
  return new GatewayError(kind, shown, {
    ...details,
    ...(kind === 'not-found' && { code: 'model_not_found', fault: wrongModelFault }),
  });
}

const mayBeTooLong = new Set<ErrorKind>(['invalid-request', 'too-large', 'upstream']);

const wrongGuardrailFault =
  'the region has no such guardrail: check options.guardrail, options.guardrailVersion and options.region';
const wrongModelFault =
  "the region has no such model: check the target's model and options.region; many models need a cross-region profile such as us.…";

function kindOf(type: string, message: string, status: number | undefined): ErrorKind {
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  if (kind === 'invalid-request' && wrongModel.test(message)) return 'not-found';
  return kind ?? kindOfStatus[status ?? 0] ?? 'upstream';
}

function keyFaultOf(type: string, message: string, status: number | undefined): string | undefined {
  if (Object.hasOwn(keyFaults, type)) return keyFaults[type];
  if (type !== 'AccessDeniedException' && status !== 401 && status !== 403) return undefined;
  return wrongKey.test(message)
    ? 'AWS refused the API key: check apiKey'
    : "the identity may not use the model: check the account's access to the model in options.region, and bedrock:InvokeModel in its policy";
}

function refusedKey(type: string, fault: string, details: ErrorDetails): GatewayError {
  const error = keyRefused(details);
  const isKey = type !== 'AccessDeniedException' || fault.startsWith('AWS refused the API key');
  return new GatewayError(error.kind, error.message, {
    ...error.details,
    ...(isKey && { refusedKey: true }),
    fault: type ? `${type}: ${fault}` : fault,
  });
}
