import type { CompletionFinishReason, CompletionLogprobs } from '@model-gateway/wire';
import type { Finish, Thought } from '../mind/answer.ts';
import { likelihood } from '../mind/logprobs.ts';
import { tokensOf } from '../mind/tokens.ts';
import type { CompletionsAsked } from './parse.ts';

export const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'stop',
  refusal: 'stop',
  blocked: 'content_filter',
} as const satisfies Record<Finish, CompletionFinishReason>;

/** One of the answers, and what it answers. */
export interface Choice {
  index: number;
  thought: Thought;
  /** The tokens of the prompt that its text begins with; none unless that was asked for. */
  echoed: string[];
}

/** The answers that are shown: `n` of each prompt, though more may have been written. */
export function choicesOf({ prompts, prompt, shown, echo }: CompletionsAsked, thoughts: Thought[]): Choice[] {
  return prompts.flatMap((text, at) =>
    thoughts.slice(at * prompt.choices, at * prompt.choices + shown).map((thought, place) => ({
      index: at * shown + place,
      thought,
      echoed: echo ? tokensOf(text) : [],
    })),
  );
}

/** The tokens of an answer; a refusal is text like any other here. */
export function tokensIn({ steps }: Thought): string[] {
  return steps.flatMap(step => (step.kind === 'text' || step.kind === 'refusal' ? [step.text] : []));
}

/** Where tokens stand in a choice. */
export interface Place {
  /** How many tokens are before them. */
  token: number;
  /** How many characters. */
  offset: number;
}

/** The likelihoods of some tokens; of the very first of an echoed prompt none is known. */
export function logprobsOf(
  tokens: readonly string[],
  { token: first, offset }: Place,
  top: number,
  echoed = false,
): CompletionLogprobs {
  const all = tokens.map((token, at) =>
    echoed && first + at === 0 ? null : likelihood(token, first + at, Math.max(top, 1)),
  );
  let next = offset;
  return {
    tokens: [...tokens],
    token_logprobs: all.map(one => one?.logprob ?? null),
    top_logprobs: all.map(one =>
      one && top > 0 ? Object.fromEntries(one.top.map(({ token, logprob }) => [token, logprob])) : null,
    ),
    text_offset: tokens.map(token => {
      next += token.length;
      return next - token.length;
    }),
  };
}
