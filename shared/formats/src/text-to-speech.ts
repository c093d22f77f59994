import { type AudioFormat, GatewayError, renamePath, type SpeechRequest } from '@model-gateway/canonical';
import { decodeFailure as decodeUsual } from './upstream/decode-openai-failure.ts';
import { decodeSpeech } from './upstream/decode-speech.ts';
import type {
  CanonicalInput,
  Decoder,
  Dialect,
  UpstreamFailure,
  UpstreamFields,
  UpstreamRequest,
} from './upstream/dialect.ts';
import { readFailureBody } from './upstream/failure-body.ts';
import { parseObject } from './upstream/read-json.ts';
import { unsupported, withoutDropped, writtenBody } from './upstream/request-body.ts';

/** The body of `POST /v1/text-to-speech/{voice_id}` and `…/stream`, as far as the gateway sends it. */
export interface TextToSpeechParams {
  text: string;
  model_id: string;
  voice_settings?: { speed: number };
}

/** The slowest and the fastest speech that ElevenLabs makes: https://elevenlabs.io/docs/overview/capabilities/text-to-speech/best-practices */
export const textToSpeechSpeeds = { slowest: 0.7, fastest: 1.2 };

/** The values of `output_format`. PCM and WAV have the sample rate that the canonical request demands. */
const formats = new Map<string, string>([
  ['mp3', 'mp3_44100_128'],
  ['opus', 'opus_48000_128'],
  ['wav', 'wav_24000'],
  ['pcm', 'pcm_24000'],
] satisfies [AudioFormat, string][]);

/** @throws GatewayError for a format, a speed or instructions that the upstream does not have */
export function encode(input: CanonicalInput<SpeechRequest>): UpstreamRequest {
  const { request, model, drop } = input;
  const { text, voice, format } = request;
  const { speed, instructions } = withoutDropped(request, drop);
  if (instructions) throw unsupported('instructions', "this model's provider takes no instructions");
  const { slowest, fastest } = textToSpeechSpeeds;
  if (speed !== undefined && (speed < slowest || speed > fastest))
    throw unsupported('speed', `this model's provider speaks at speeds from ${slowest} to ${fastest}`);
  const body: TextToSpeechParams = {
    text,
    model_id: model,
    ...(speed !== undefined && { voice_settings: { speed } }),
  };
  return { path: pathOf(voice, format), body: writtenBody(input, body) };
}

/** Returns the path and query. The head of a WAV file has its length, so the upstream does not stream it. */
function pathOf(voice: string, format: string | undefined): string {
  // A path without the voice, as servers read it.
  if (/^\.\.?$/.test(voice)) throw unsupported('voice', 'it is not the id of a voice');
  const path = `/v1/text-to-speech/${encodeURIComponent(voice)}${format === 'wav' ? '' : '/stream'}`;
  if (!format) return path;
  const output = formats.get(format);
  if (output) return `${path}?output_format=${output}`;
  throw unsupported('format', `this model's provider does not make '${format}'`);
}

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

/** The canonical fields of the fields that the upstream names in errors. */
const fields: UpstreamFields = {
  text: 'text',
  voice_id: 'voice',
  output_format: 'format',
  'voice_settings.speed': 'speed',
};

/** The speech API of ElevenLabs. No client format matches it, so every request is translated. */
export const textToSpeechDialect: Dialect<CanonicalInput<SpeechRequest>> = {
  format: 'text-to-speech',
  bodies: ['canonical'],
  choices: 'one',
  encode,
  // A translated request asks for no events: its audio is decoded by `decodeWhole` as it arrives.
  decodeStream: input => decodeAudio(input, ''),
  decodeWhole: decodeAudio,
  decodeBody: () => undefined,
  decodeFailure,
  pathOf: param => renamePath(param, fields),
};
