import type { Answer } from '../mind/answer.ts';
import { inputTokens } from '../mind/usage.ts';
import type { Asked } from './prompt.ts';

const audioTokenMs = 50;

/** What a response has cost so far, as `response.done` shows it. */
export function usageOf(
  { prompt, audioTokens }: Asked,
  { usage: { input, cachedInput } }: Answer,
  said: { tokens: number; audioMs: number },
) {
  const images = inputTokens({ ...prompt, context: '' });
  const audio = Math.ceil(said.audioMs / audioTokenMs);
  const input_tokens = input + audioTokens;
  const output_tokens = said.tokens + audio;
  return {
    total_tokens: input_tokens + output_tokens,
    input_tokens,
    output_tokens,
    input_token_details: {
      text_tokens: input - images,
      audio_tokens: audioTokens,
      image_tokens: images,
      cached_tokens: cachedInput,
      cached_tokens_details: { text_tokens: cachedInput, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: said.tokens, audio_tokens: audio },
  };
}
