import type { CompletionLogprobs } from '@model-gateway/formats';
import { completions as endpoint } from '@model-gateway/formats/completions';
import { z } from 'zod';
import { openai } from '../chat/format.ts';
import type { Format, ParsedRequest } from '../common/format.ts';
import { badRequest, validated } from '../common/openai-error.ts';
import { rendered } from '../common/rendered.ts';
import type { Reply } from '../responder/answer.ts';
import { promptOf } from '../responder/read-prompt.ts';
import { likelihood } from '../responder/seeded-random.ts';
import { tokensOf } from '../responder/tokens.ts';

const text = z.string();
const tokens = z.array(z.int().min(0)).min(1);
const promptSchema = z.union([text, z.array(text).min(1), tokens, z.array(tokens).min(1)]);
const penalty = z.number().min(-2).max(2).nullish();
const streamOptions = { include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() };

/** Unknown fields are rejected, as the vendor rejects them. */
const completionsRequest = z.strictObject({
  model: text.min(1),
  prompt: promptSchema,
  stream: z.boolean().nullish(),
  stream_options: z.strictObject(streamOptions).nullish(),
  max_tokens: z.int().min(0).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  best_of: z.int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
  suffix: text.nullish(),
  logprobs: z.int().min(0).max(5).nullish(),
  stop: z.union([text, z.array(text).max(4)]).nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  logit_bias: z.record(text, z.number().min(-100).max(100)).nullish(),
  seed: z.int().nullish(),
  user: text.nullish(),
});
type Request = z.infer<typeof completionsRequest>;

/** Each token that is sent as a number stands for one of these words. */
const words = ' the and for you are not but all can one our out'.match(/ \w+/g) ?? [];

function promptsOf(prompt: Request['prompt']): [string, ...string[]] {
  if (typeof prompt === 'string') return [prompt];
  if (typeof prompt[0] === 'number') return [wordsOf(prompt as number[])];
  const texts = (prompt as (string | number[])[]).map(one => (typeof one === 'string' ? one : wordsOf(one)));
  return texts as [string, ...string[]];
}

function wordsOf(tokens: readonly number[]): string {
  return tokens.map(token => words[token % words.length]).join('');
}

interface ParsedCompletions extends ParsedRequest {
  /** Each prompt as text. */
  prompts: [string, ...string[]];
  /** Choices in the answer for each prompt. With `best_of`, more are generated. */
  n: number;
  echo: boolean;
  /** Alternatives for each token; null for no logprobs. */
  topLogprobs: number | null;
  includeUsage: boolean;
}

const defaultTokens = 16;

/** @throws ApiError as the vendor would */
function parse(body: unknown): ParsedCompletions {
  const request = validated(completionsRequest, body);
  checkCounts(request);
  const prompts = promptsOf(request.prompt);
  const [question, ...others] = prompts;
  const { model, max_tokens, n, best_of: best } = request;
  const canonical = {
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: question }] }],
    maxTokens: max_tokens ?? defaultTokens,
    stop: [request.stop ?? []].flat(),
    n: Math.max(n ?? 1, best ?? 1),
  };
  const context = prompts.join('') + (request.suffix ?? '');
  return {
    prompt: { ...promptOf(model, canonical), question, others, context },
    prompts,
    n: n ?? 1,
    stream: request.stream ?? false,
    echo: request.echo ?? false,
    topLogprobs: request.logprobs ?? null,
    includeUsage: request.stream_options?.include_usage ?? false,
  };
}

/** @throws ApiError for fields that exclude each other */
function checkCounts({ n, best_of: best, stream, stream_options: options, echo, suffix }: Request): void {
  if ((best ?? Infinity) < (n ?? 1))
    throw badRequest("'best_of' must not be less than 'n'.", 'invalid_value', 'best_of');
  if (stream && (best ?? 1) > 1)
    throw badRequest('You cannot use streaming with best_of greater than 1.', 'invalid_value', 'best_of');
  if (options && !stream)
    throw badRequest("'stream_options' is only allowed when 'stream' is enabled.", null, 'stream_options');
  if (echo && suffix)
    throw badRequest("'echo' and 'suffix' cannot be used together.", 'invalid_value', 'suffix');
}

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
