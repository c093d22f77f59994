import { GatewayError } from '@model-gateway/canonical';
import type { ResponsesUpstreamAnswer } from '@model-gateway/wire';
import { refusesCredential } from '../credential.ts';
import { answerFailure as openaiFailure } from '../decode-openai-failure.ts';
import { readFailure } from '../failure-body.ts';

export { decodeFailure } from '../decode-openai-failure.ts';

/** Codes, and a type, by which a response fails for what was asked: no other upstream would take it, either. */
const atFault = new Set<unknown>([
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

/** An error inside an answer that began well, or in place of one, where there is no status to tell. */
export function answerFailure(given: unknown): GatewayError {
  const error = openaiFailure(given);
  const failure = readFailure(given) ?? {};
  const { code, type, param } = failure;
  if (error.kind !== 'upstream' || refusesCredential(undefined, failure)) return error;
  if (!atFault.has(code) && !atFault.has(type)) return error;
  return new GatewayError('invalid-request', error.message, {
    ...(param && { param }),
    ...(typeof code === 'string' && { code }),
  });
}

/** Why a response failed, or that it was cancelled. */
export function responseFailure({ status, error }: Partial<ResponsesUpstreamAnswer>): GatewayError {
  if (error) return answerFailure(error);
  const cancelled = status === 'cancelled';
  return new GatewayError(
    'upstream',
    cancelled ? 'The upstream cancelled its answer.' : 'The upstream failed.',
  );
}
