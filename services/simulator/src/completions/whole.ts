import type {
  Completion,
  CompletionChoice,
  CompletionFinishReason,
  CompletionLogprobs,
} from '@model-gateway/formats';
import { chatUsage, fingerprint } from '../chat/whole.ts';
import type { Answer, Finish, Reply } from '../responder/answer.ts';
import { likelihood } from '../responder/seeded-random.ts';
import { tokensOf } from '../responder/tokens.ts';
import type { ParsedCompletions } from './parse.ts';

/** An answer as one `text_completion` object. */
export function whole(parsed: ParsedCompletions, answer: Answer): Completion {
  return {
    ...headOf(parsed, answer),
    choices: choicesOf(parsed, answer.replies).map(choice => choiceOf(choice, parsed.topLogprobs)),
    usage: chatUsage(answer.usage),
  };
}

function choiceOf({ index, reply, echoed }: Choice, top: number | null): CompletionChoice {
  const tokens = [...echoed, ...tokensIn(reply)];
  return {
    text: tokens.join(''),
    index,
    logprobs: top === null ? null : logprobsOf(tokens, { token: 0, offset: 0 }, top, echoed.length > 0),
    finish_reason: finishReasons[reply.finish],
  };
}

export const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'stop',
  refusal: 'stop',
  blocked: 'content_filter',
} as const satisfies Record<Finish, CompletionFinishReason>;

/** One choice of the answer. */
export interface Choice {
  index: number;
  reply: Reply;
  /** The tokens of the prompt, if `echo` is set. */
  echoed: string[];
}

export function choicesOf({ prompts, prompt, n, echo }: ParsedCompletions, replies: Reply[]): Choice[] {
  return prompts.flatMap((text, at) =>
    replies.slice(at * prompt.choices, at * prompt.choices + n).map((reply, place) => ({
      index: at * n + place,
      reply,
      echoed: echo ? tokensOf(text) : [],
    })),
  );
}

/** The tokens of a reply. A refusal is plain text. */
export function tokensIn({ steps }: Reply): string[] {
  return steps.flatMap(step => (step.kind === 'text' || step.kind === 'refusal' ? [step.text] : []));
}

/** The logprobs of tokens from an index and an offset in characters on. The first echoed token has no logprob. */
export function logprobsOf(
  tokens: readonly string[],
  { token: first, offset }: { token: number; offset: number },
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

/** The fields that a whole answer and every chunk of a stream have in common. */
export function headOf({ prompt: { model } }: ParsedCompletions, { id, created }: Answer) {
  const object = 'text_completion' as const;
  return { id: `cmpl-${id}`, object, created, model, system_fingerprint: fingerprint };
}
