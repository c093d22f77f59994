import type { Step, Thought } from './answer.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { Prompt } from './prompt.ts';

/** Tokens of a request and its answers. */
export interface Usage {
  /** All that was read, cached tokens and media included. */
  input: number;
  /** Read from the cache. */
  cachedInput: number;
  /** Written to the cache, to be kept for five minutes. */
  cacheWrite5m: number;
  /** Written to the cache, to be kept for an hour. */
  cacheWrite1h: number;
  audioInput: number;
  /** All that was written, reasoning and images included. */
  output: number;
  reasoning: number;
  /** Of images in an answer. */
  imageOutput: number;
}

/** Four characters of a prompt are a token; a file of any size has a flat price. */
export const charactersAToken = 4;
const mediaTokens = { images: 85, audio: 50, files: 250 };
const pictureTokens = 1_290;

export function usageOf(prompt: Prompt, thoughts: readonly Thought[], cache: PrefixCache): Usage {
  const shown = thoughts.filter(({ finish }) => finish === 'stop').length * (prompt.pictures ?? 0);
  const imageOutput = shown * pictureTokens;
  return {
    input: inputTokens(prompt),
    ...cache.use(prompt),
    audioInput: prompt.media.audio * mediaTokens.audio,
    output: countSteps(thoughts) + imageOutput,
    imageOutput,
    reasoning: prompt.effort ? countSteps(thoughts, 'reasoning') : 0,
  };
}

/** All that a prompt makes a model read. */
export function inputTokens({ context, media: { images, audio, files } }: Prompt): number {
  const media = images * mediaTokens.images + audio * mediaTokens.audio + files * mediaTokens.files;
  return Math.ceil(context.length / charactersAToken) + media;
}

function countSteps(thoughts: readonly Thought[], kind?: Step['kind']): number {
  let count = 0;
  for (const { steps } of thoughts)
    count += kind ? steps.filter(step => step.kind === kind).length : steps.length;
  return count;
}
