import { textToSpeechSpeeds } from '@model-gateway/formats';
import { z } from 'zod';
import { ApiError, validatedBy } from '../common/api-error.ts';
import type { Outcome } from '../common/delivery.ts';
import type { ErrorFormat } from '../common/format.ts';
import type { Api } from '../common/routes.ts';
import { type Pace, paceOf } from '../responder/pace.ts';
import { type Codec, codecs } from './sound.ts';
import { spoken, tokensMsOf } from './speech.ts';

/** ElevenLabs' API of speech. The status of an error's detail is the error's code. */
export const textToSpeechFormat: ErrorFormat = {
  overloaded: 429,
  headers: requestId => ({ 'request-id': requestId }),
  key: headers => String(headers['xi-api-key'] ?? ''),
  badKey: () => new ApiError(401, 'Invalid API key', 'invalid_api_key'),
  authorize({ headers }) {
    if (!headers['xi-api-key'])
      throw new ApiError(401, 'Neither authorization header nor xi-api-key received', 'needs_authorization');
  },
  errorBody: ({ status, message, code, param }) => ({
    detail:
      status === 422
        ? [{ type: code, loc: ['body', ...(param?.split('.') ?? [])], msg: message }]
        : { status: code ?? 'error', message },
  }),
};

const text = z.string();

/** Unknown fields are rejected, unlike by the vendor: the gateway sends none. */
const textToSpeechRequest = z.strictObject({
  text: text.min(1).max(10_000),
  model_id: text.min(1),
  voice_settings: z
    .strictObject({ speed: z.number().min(textToSpeechSpeeds.slowest).max(textToSpeechSpeeds.fastest) })
    .optional(),
});

/** The values of `output_format` that the simulator makes. */
const streamed: Record<string, Codec> = {
  mp3_44100_128: codecs.mp3,
  opus_48000_128: codecs.opus,
  pcm_24000: codecs.pcm,
};
const whole: Record<string, Codec> = { ...streamed, wav_24000: codecs.wav };

interface ParsedTextToSpeech {
  model: string;
  tokensMs: number[];
  codec: Codec;
  pace: Pace;
}

function parse(body: unknown, _headers: unknown, url: string): ParsedTextToSpeech {
  const { pathname, searchParams } = new URL(url, 'http://simulator');
  const [, , , voice = '', stream] = pathname.split('/');
  if (voice === 'missing')
    throw new ApiError(404, `A voice for the voice_id '${voice}' was not found.`, 'voice_not_found');
  const { text, model_id: model, voice_settings: settings } = validated(textToSpeechRequest, body);
  if (text === 'quota')
    throw new ApiError(401, 'This request exceeds your quota of 10000.', 'quota_exceeded');
  const format = searchParams.get('output_format') ?? 'mp3_44100_128';
  const codec = (stream ? streamed : whole)[format];
  if (!codec) throw new ApiError(422, 'Input should be a known output format', 'enum', 'output_format');
  const pace = paceOf(model);
  return { model, tokensMs: tokensMsOf(text, pace, settings?.speed ?? 1), codec, pace };
}

/** @throws ApiError in the words of the vendor's validation */
const validated = validatedBy(
  ({ issues: [{ message, code, path }] }) => new ApiError(422, message, code, path.join('.')),
);

function answer({ tokensMs, codec, pace }: ParsedTextToSpeech): Outcome {
  return spoken(tokensMs, codec, pace);
}

/** Speaks a text. The voice `missing` does not exist, and the text `quota` exceeds the quota. */
export const textToSpeech: Api<ParsedTextToSpeech> = { format: textToSpeechFormat, parse, answer };
