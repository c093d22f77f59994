import { z } from 'zod';
import type { ParsedRequest } from '../format.ts';
import { badRequest, validated } from '../openai-error.ts';

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
  if (typeof prompt[0] === 'number') return [textOf(prompt as number[])];
  const texts = (prompt as (string | number[])[]).map(one => (typeof one === 'string' ? one : textOf(one)));
  return texts as [string, ...string[]];
}

function textOf(tokens: readonly number[]): string {
  return tokens.map(token => words[token % words.length]).join('');
}

export interface ParsedCompletions extends ParsedRequest {
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
export function parse(body: unknown): ParsedCompletions {
  const request = validated(completionsRequest, body);
  checkCounts(request);
  const prompts = promptsOf(request.prompt);
  const [question, ...others] = prompts;
  return {
    prompt: {
      model: request.model,
      instructions: '',
      question,
      others,
      results: [],
      tools: [],
      toolChoice: 'none',
      parallel: false,
      output: { kind: 'text' },
      maxTokens: request.max_tokens ?? defaultTokens,
      stop: [request.stop ?? []].flat().filter(Boolean),
      choices: Math.max(request.n ?? 1, request.best_of ?? 1),
      effort: null,
      context: prompts.join('') + (request.suffix ?? ''),
      media: { images: 0, audio: 0, files: 0 },
      cachePoints: null,
    },
    prompts,
    n: request.n ?? 1,
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
