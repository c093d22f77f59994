import { type Pace, paceOf } from '../mind/pace.ts';
import { stretched, tokensOf } from '../mind/tokens.ts';
import { charactersAToken } from '../mind/usage.ts';
import { complaint, wrong } from '../openai-complaint.ts';
import type { Codec } from './codecs/codec.ts';
import { codecs } from './codecs/index.ts';
import { speechRequest } from './request.ts';

export interface SpeechAsked {
  model: string;
  /** What is said, of which each token is a chunk of audio. */
  tokens: string[];
  inputTokens: number;
  voice: string;
  /** How long a character sounds. */
  characterMs: number;
  codec: Codec;
  /** Whether audio comes in events. */
  events: boolean;
  pace: Pace;
}

const usualCharacterMs = 60;

/** @throws Refusal as the vendor would */
export function parse(body: unknown): SpeechAsked {
  const { data: request, error } = speechRequest.safeParse(body);
  if (!request) throw complaint(body, error);
  const { model, input, voice } = request;
  const events = request.stream_format === 'sse';
  if (events && isOld(model))
    throw wrong(
      `stream_format 'sse' is not supported with model '${model}'. Use 'audio' instead.`,
      'unsupported_value',
      'stream_format',
    );
  const pace = paceOf(model);
  const tokens = tokensOf(input);
  return {
    model,
    tokens: pace.tokens === null ? tokens : stretched(tokens, pace.tokens),
    inputTokens: Math.ceil((input.length + (request.instructions?.length ?? 0)) / charactersAToken),
    voice: typeof voice === 'string' ? voice : voice.id,
    characterMs: usualCharacterMs / (request.speed ?? 1),
    codec: codecs[request.response_format ?? 'mp3'],
    events,
    pace,
  };
}

/** `tts-1` and `tts-1-hd` write no events. */
function isOld(model: string): boolean {
  return /^tts-1\b/.test(model.slice(model.lastIndexOf('/') + 1));
}
