import type { Completion, CompletionChoice } from '@model-gateway/wire';
import { chatUsage } from '../chat/usage.ts';
import type { Answer } from '../mind/answer.ts';
import { type Choice, choicesOf, finishReasons, logprobsOf, tokensIn } from './choice.ts';
import { headOf } from './head.ts';
import type { CompletionsAsked } from './parse.ts';

/** An answer as one `text_completion` object. */
export function whole(asked: CompletionsAsked, answer: Answer): Completion {
  return {
    ...headOf(asked, answer),
    choices: choicesOf(asked, answer.thoughts).map(choice => shown(choice, asked.topLogprobs)),
    usage: chatUsage(answer.usage),
  };
}

function shown({ index, thought, echoed }: Choice, top: number | null): CompletionChoice {
  const tokens = [...echoed, ...tokensIn(thought)];
  return {
    text: tokens.join(''),
    index,
    logprobs: top === null ? null : logprobsOf(tokens, { token: 0, offset: 0 }, top, echoed.length > 0),
    finish_reason: finishReasons[thought.finish],
  };
}
