import { z } from 'zod/mini';

/** What an answer used, in tokens, as the chat format counts it. */
export const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  prompt_tokens_details: z.nullish(z.object({ cached_tokens: z.nullish(z.number()) })),
  completion_tokens_details: z.nullish(z.object({ reasoning_tokens: z.nullish(z.number()) })),
});
export type Usage = z.infer<typeof usage>;

/** `12 tokens in (8 cached), 30 out (10 for reasoning)`. */
export function usageText(used: Usage): string {
  const cached = used.prompt_tokens_details?.cached_tokens;
  const reasoning = used.completion_tokens_details?.reasoning_tokens;
  const input = `${used.prompt_tokens} tokens in${cached ? ` (${cached} cached)` : ''}`;
  return `${input}, ${used.completion_tokens} out${reasoning ? ` (${reasoning} for reasoning)` : ''}`;
}
