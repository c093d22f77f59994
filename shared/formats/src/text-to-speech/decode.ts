import { GatewayError, type SpeechRequest } from '@model-gateway/canonical';
import { decodeFailure as decodeUsual } from '../upstream/decode-openai-failure.ts';
import { decodeSpeech } from '../upstream/decode-speech.ts';
import type { CanonicalInput, Decoder, UpstreamFailure } from '../upstream/dialect.ts';
import { readFailureBody } from '../upstream/failure-body.ts';
import { parseObject } from '../upstream/read-json.ts';

export function decodeAudio({ request }: CanonicalInput<SpeechRequest>, mediaType: string): Decoder {
  const { text, format } = request;
  return decodeSpeech(
    mediaType,
    () => ({ text, format }),
    (bytes, first) => ({ type: 'audio', bytes, ...(first && { mediaType: first }) }),
  );
}

/**
 * Translates a failure, whose reason is in `detail.status`. An exhausted quota has the status 401, as a wrong key has:
 * https://help.elevenlabs.io/hc/en-us/articles/19572237925521-API-Error-Code-400-or-401
 */
export function decodeFailure(failure: UpstreamFailure): GatewayError {
  const error = decodeUsual(failure);
  const { refusedKey: _, ...details } = error.details;
  const { message = error.message } = readFailureBody(failure.body);
  switch (reasonOf(failure.body)) {
    case 'quota_exceeded':
      return new GatewayError('quota-exceeded', message, details);
    case 'voice_not_found':
      return new GatewayError('invalid-request', message, {
        ...details,
        path: 'voice',
        code: 'voice_not_found',
        // Another provider may have the voice.
        notRepresentable: true,
      });
    default:
      return error;
  }
}

function reasonOf(body: Buffer): unknown {
  const detail = parseObject(body.toString('utf8'))?.detail;
  return typeof detail === 'object' && detail !== null && 'status' in detail ? detail.status : undefined;
}
