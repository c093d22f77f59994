import { z } from 'zod';
import type { ChatUsage } from '../chat/answer.ts';
import { type Closed, modelName, wholeNumber } from '../values/schemas.ts';
import type { CompletionFinishReason } from './finish.ts';

/*
 * Legacy completions as in OpenAI's published API description (CreateCompletionRequest and -Response).
 */

const text = z.string();
const integer = z.number().refine(Number.isInteger, { message: 'an integer' }).meta({ type: 'integer' });
const token = z.int().nonnegative();

/** One text or several, or the same as token ids. */
export const completionPrompt = z.union(
  [text, z.array(text).min(1), z.array(token).min(1), z.array(z.array(token).min(1)).min(1)],
  { error: 'string, array of strings, array of tokens or array of token arrays' },
);

/**
 * The body of `POST /v1/completions`. `null` means not set. Defaults: max_tokens 16, n 1, best_of 1, echo
 * false.
 */
export const completionRequest = z.looseObject({
  model: modelName,
  prompt: completionPrompt,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: wholeNumber({ min: 0 }).nullish(),
  /** OpenAI's API refuses more than 2; llama.cpp and vLLM take any. */
  temperature: z.number().min(0).nullish(),
  top_p: z.number().min(0).nullish(),
  n: wholeNumber({ min: 1, max: 128 }).nullish(),
  best_of: wholeNumber({ min: 0, max: 128 }).nullish(),
  echo: z.boolean().nullish().describe('True if the returned text begins with the prompt.'),
  suffix: text.nullish().describe('Text after the completion.'),
  /** OpenAI's API refuses more than 5; vLLM takes 20 by default, and llama.cpp any number. */
  logprobs: wholeNumber({ min: 0 }).nullish().describe('Number of alternatives to return for each token.'),
  stop: z.union([text, z.array(text)], { error: 'string or an array of strings' }).nullish(),
  presence_penalty: z.number().nullish(),
  frequency_penalty: z.number().nullish(),
  logit_bias: z.record(text, z.number()).nullish(),
  seed: integer.nullish(),
  user: text.nullish(),
});
export type CompletionRequest = z.infer<typeof completionRequest>;
/** A request as the gateway writes it. */
export type CompletionRequestParams = Closed<CompletionRequest>;

/** Log probabilities, one entry per token in each list. The first token of an echoed prompt has none. */
export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[];
  /** Offset of each token, in characters of the text. */
  text_offset: number[];
}

export interface CompletionChoice {
  /** The prompt's index times `n`, plus the choice's index among those of its prompt. */
  index: number;
  text: string;
  logprobs: CompletionLogprobs | null;
  /** Null until the choice ends. */
  finish_reason: CompletionFinishReason | null;
}

/** A whole response, or a chunk of a stream with the new text. */
export interface Completion {
  id: string;
  object: 'text_completion';
  /** Seconds since 1970. */
  created: number;
  model: string;
  system_fingerprint?: string;
  choices: CompletionChoice[];
  usage?: ChatUsage | null;
}
