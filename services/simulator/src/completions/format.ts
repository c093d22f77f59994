import type { CompletionLogprobs } from '@model-gateway/formats';
import { completions as endpoint } from '@model-gateway/formats/completions';
import { openai } from '../chat/format.ts';
import type { Format } from '../format.ts';
import { rendered } from '../rendered.ts';
import type { Reply } from '../responder/answer.ts';
import { likelihood } from '../responder/seeded-random.ts';
import { tokensOf } from '../responder/tokens.ts';
import { type ParsedCompletions, parse } from './parse.ts';

/** OpenAI's legacy completions. */
export const completions: Format<ParsedCompletions> = {
  ...openai,
  parse,
  ...rendered((parsed, { replies }) => {
    const { prompt, includeUsage: usage, n, echo, topLogprobs: top } = parsed;
    const { model } = prompt;
    return {
      renderer: endpoint.render({ model, usage, echo: [], n }),
      callPrefix: '',
      model,
      replies: repliesOf(parsed, replies),
      ...(top !== null && { logprobs: (...at) => logprobsOf(...at, top, echo) }),
    };
  }),
};

/** The replies that are sent for each prompt, as plain text after the prompt if `echo` is set. */
function repliesOf({ prompts, prompt, n, echo }: ParsedCompletions, replies: Reply[]): Reply[] {
  return prompts.flatMap((text, at) =>
    replies.slice(at * prompt.choices, at * prompt.choices + n).map(reply => ({
      ...reply,
      steps: [
        ...(echo ? tokensOf(text) : []),
        ...reply.steps.map(step => (step.kind === 'call' ? '' : step.text)),
      ].map(text => ({ kind: 'text' as const, text })),
      finish: reply.finish === 'refusal' ? ('stop' as const) : reply.finish,
    })),
  );
}

/** The first echoed token has no logprob. */
function logprobsOf(
  tokens: readonly string[],
  first: number,
  offset: number,
  top: number,
  echo: boolean,
): CompletionLogprobs {
  const all = tokens.map((token, at) =>
    echo && first + at === 0 ? null : likelihood(token, first + at, Math.max(top, 1)),
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
