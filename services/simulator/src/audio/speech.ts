import { type SpeechDelta, type SpeechDone, speechFormats } from '@model-gateway/formats';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { z } from 'zod';
import { openai } from '../chat/format.ts';
import type { ApiError } from '../common/api-error.ts';
import type { Outcome } from '../common/delivery.ts';
import type { Chunk, Flow } from '../common/format.ts';
import { badRequest, validated } from '../common/openai-error.ts';
import type { Api } from '../common/routes.ts';
import type { Stats } from '../common/traffic.ts';
import { type Pace, paceOf } from '../responder/pace.ts';
import { charactersPerToken, stretched, tokensOf } from '../responder/tokens.ts';
import { type Codec, codecs } from './sound.ts';

const text = z.string();
const maxCharacters = 4_096;
export const msPerCharacter = 60;
export const msPerOutputToken = 50;

/** Unknown fields are rejected, as by the vendor. Any voice exists. */
const speechRequest = z.strictObject({
  model: text.min(1),
  input: text.min(1).max(maxCharacters),
  voice: z.union([text.min(1), z.strictObject({ id: text.min(1) })]),
  instructions: text.max(maxCharacters).nullish(),
  response_format: z.enum(speechFormats).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  stream_format: z.enum(['sse', 'audio']).nullish(),
});

interface ParsedSpeech {
  model: string;
  /** The length of each token in milliseconds. Each token is a chunk of audio. */
  tokensMs: number[];
  inputTokens: number;
  codec: Codec;
  /** True if the audio is sent in server-sent events. */
  events: boolean;
  pace: Pace;
}

function parse(body: unknown): ParsedSpeech {
  const request = validated(speechRequest, body);
  const { model, input, instructions } = request;
  const events = request.stream_format === 'sse';
  if (events && /(?:^|\/)tts-1\b/.test(model))
    throw badRequest(`Model '${model}' does not support 'sse'.`, 'unsupported_value', 'stream_format');
  const pace = paceOf(model);
  return {
    model,
    tokensMs: tokensMsOf(input, pace, request.speed ?? 1),
    inputTokens: Math.ceil((input.length + (instructions?.length ?? 0)) / charactersPerToken),
    codec: codecs[request.response_format ?? 'mp3'],
    events,
    pace,
  };
}

/** Returns how long each token of a text is spoken, in milliseconds. */
export function tokensMsOf(text: string, pace: Pace, speed: number): number[] {
  const tokens = pace.tokens === null ? tokensOf(text) : stretched(tokensOf(text), pace.tokens);
  return tokens.map(token => ([...token].length * msPerCharacter) / speed);
}

/** Answers with a tone that is as long as the input. */
function answer({ tokensMs, inputTokens: input, codec, events, pace }: ParsedSpeech): Outcome {
  const usage = { input, output: Math.ceil(lengthOf(tokensMs) / msPerOutputToken) };
  if (!events) return { ...spoken(tokensMs, codec, pace), usage };
  const flow = asEvents(audioFlow(tokensMs, codec), usage);
  return { kind: 'stream', usage, pace, flow, errorEvent: openai.errorEvent };
}

/** Returns a tone as the bytes of an audio file. */
export function spoken(tokensMs: readonly number[], codec: Codec, pace: Pace): Outcome {
  // Audio has no place for an error, so the error replaces it.
  const errorEvent = (error: ApiError) => {
    throw error;
  };
  return { kind: 'stream', pace, flow: audioFlow(tokensMs, codec), type: codec.type, errorEvent };
}

function lengthOf(tokensMs: readonly number[]): number {
  return tokensMs.reduce((sum, token) => sum + token, 0);
}

export const speech: Api<ParsedSpeech> = { format: openai, parse, answer };

/** The last frame is written alone at the end: without it the file is not complete. */
function audioFlow(tokensMs: readonly number[], { frameMs, frame, head, tail }: Codec): Flow {
  const frames = Math.max(1, Math.ceil(lengthOf(tokensMs) / frameMs));
  function* ticks(): Generator<Chunk[]> {
    let ms = 0;
    let written = 0;
    for (const tokenMs of tokensMs) {
      ms += tokenMs;
      const due = Math.min(Math.ceil(ms / frameMs), frames - 1);
      yield due > written && frame.length > 0 ? [Buffer.alloc((due - written) * frame.length, frame)] : [];
      written = due;
    }
  }
  return { opening: [head(frames)].filter(({ length }) => length > 0), ticks: ticks(), closing: [tail] };
}

function asEvents({ opening, ticks, closing }: Flow, { input, output }: Stats['usage']): Flow {
  const all = (chunks: Chunk[]) =>
    chunks.map(chunk => event({ type: 'speech.audio.delta', audio: Buffer.from(chunk).toString('base64') }));
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  return {
    opening: all(opening),
    ticks: Iterator.from(ticks).map(all),
    closing: [...all([...closing]), event({ type: 'speech.audio.done', usage })],
  };
}

function event(data: SpeechDelta | SpeechDone): string {
  return sseEvent(dataJson(data));
}
