import type { Step, Thought } from './answer.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { Prompt } from './prompt.ts';

/** Tokens of a request and its answers. */
export interface Usage {
  /** All that was read, cached tokens and media included. */
  input: number;
  cachedInput: number;
  audioInput: number;
  /** All that was written, reasoning included. */
  output: number;
  reasoning: number;
}

/** Four characters of a prompt are a token; a file of any size has a flat price. */
export const charactersAToken = 4;
const mediaTokens = { images: 85, audio: 50, files: 250 };

export function usageOf(prompt: Prompt, thoughts: readonly Thought[], cache: PrefixCache): Usage {
  const { images, audio, files } = prompt.media;
  const audioInput = audio * mediaTokens.audio;
  const media = images * mediaTokens.images + audioInput + files * mediaTokens.files;
  return {
    input: Math.ceil(prompt.context.length / charactersAToken) + media,
    cachedInput: cache.look(`${prompt.model}\n`, prompt.context),
    audioInput,
    output: countSteps(thoughts),
    reasoning: prompt.effort ? countSteps(thoughts, 'reasoning') : 0,
  };
}

function countSteps(thoughts: readonly Thought[], kind?: Step['kind']): number {
  let count = 0;
  for (const { steps } of thoughts)
    count += kind ? steps.filter(step => step.kind === kind).length : steps.length;
  return count;
}
