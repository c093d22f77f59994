import { interrupt } from '../chat/error.ts';
import type { Outcome } from '../delivery.ts';
import type { Refusal } from '../refusal.ts';
import { Melody } from './melody.ts';
import type { SpeechAsked } from './parse.ts';
import { audio, events } from './stream.ts';

const outputTokenMs = 50;

/** What is said, as audio or as events. */
export function speak(asked: SpeechAsked): Outcome {
  const melody = new Melody(asked);
  const usage = { input: asked.inputTokens, output: Math.ceil(melody.ms / outputTokenMs) };
  const file = audio(melody, asked.codec);
  const common = { kind: 'stream', usage, pace: asked.pace } as const;
  if (asked.events) return { ...common, flow: events(file, { usage: shown(usage) }), interrupt };
  return { ...common, flow: file, type: asked.codec.type, interrupt: unsayable };
}

function shown({ input, output }: { input: number; output: number }) {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}

/** There is no room for words in audio: they come in its place. */
function unsayable(refusal: Refusal): never {
  throw refusal;
}
