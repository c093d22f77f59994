import { completionPrompt } from '@model-gateway/wire';
import { z } from 'zod';

const text = z.string();
const penalty = z.number().min(-2).max(2).nullish();

/** A request as the vendor takes it: what it does not know, it refuses. */
export const completionsRequest = z.strictObject({
  model: text.min(1),
  prompt: completionPrompt,
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
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
export type CompletionsRequest = z.infer<typeof completionsRequest>;
