import { GatewayError } from '@model-gateway/canonical';
import { answerFailure as openaiFailure } from '../upstream/decode-openai-failure.ts';
import { readFailure, refusesCredential } from '../upstream/failure-body.ts';
import type { ResponsesUpstreamAnswer } from './upstream-answer.ts';

export { decodeFailure } from '../upstream/decode-openai-failure.ts';

/** Codes, and a type, of failures caused by an invalid request. Failover to another upstream would not help. */
const invalidRequest = new Set<unknown>([
  'invalid_request_error',
  'invalid_prompt',
  'bio_policy',
  'invalid_image',
  'invalid_image_format',
  'invalid_image_mode',
  'invalid_image_url',
  'invalid_base64_image',
  'image_content_policy_violation',
  'image_file_not_found',
  'image_file_too_large',
  'image_parse_error',
  'image_too_large',
  'image_too_small',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
]);

/** Decodes an error within a response, or in place of one, that has no HTTP status. */
export function answerFailure(body: unknown): GatewayError {
  const error = openaiFailure(body);
  const failure = readFailure(body) ?? {};
  const { code, type, param } = failure;
  if (error.kind !== 'upstream' || refusesCredential(undefined, failure)) return error;
  if (!invalidRequest.has(code) && !invalidRequest.has(type)) return error;
  return new GatewayError('invalid-request', error.message, {
    ...(param && { param }),
    ...(typeof code === 'string' && { code }),
  });
}

/** Returns the error of a failed or cancelled response. */
export function responseFailure({ status, error }: Partial<ResponsesUpstreamAnswer>): GatewayError {
  if (error) return answerFailure(error);
  const cancelled = status === 'cancelled';
  return new GatewayError(
    'upstream',
    cancelled ? 'The upstream cancelled its answer.' : 'The upstream failed.',
  );
}
