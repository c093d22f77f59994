import type { Reply, Step, Usage } from './answer.ts';
import type { PrefixCache } from './prefix-cache.ts';
import type { Prompt } from './prompt.ts';
import { charactersPerToken } from './tokens.ts';

/** A file of any size has the same price. */
const mediaTokens = { images: 85, audio: 50, files: 250 };
const pictureTokens = 1_290;

export function usageOf(prompt: Prompt, replies: readonly Reply[], cache: PrefixCache): Usage {
  const shown = replies.filter(({ finish }) => finish === 'stop').length * (prompt.pictures ?? 0);
  const imageOutput = shown * pictureTokens;
  return {
    input: inputTokens(prompt),
    ...cache.use(prompt),
    audioInput: prompt.media.audio * mediaTokens.audio,
    output: countSteps(replies) + imageOutput,
    imageOutput,
    reasoning: prompt.effort ? countSteps(replies, 'reasoning') : 0,
  };
}

export function inputTokens({ context, media: { images, audio, files } }: Prompt): number {
  const media = images * mediaTokens.images + audio * mediaTokens.audio + files * mediaTokens.files;
  return Math.ceil(context.length / charactersPerToken) + media;
}

function countSteps(replies: readonly Reply[], kind?: Step['kind']): number {
  let count = 0;
  for (const { steps } of replies)
    count += kind ? steps.filter(step => step.kind === kind).length : steps.length;
  return count;
}
