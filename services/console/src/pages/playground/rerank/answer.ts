import { z } from 'zod/mini';

/** The answer of `POST /v1/rerank`, as far as the console reads it. */
export const rerankAnswer = z.object({
  results: z.array(z.object({ index: z.number(), relevance_score: z.number() })),
  usage: z.nullish(z.object({ total_tokens: z.number() })),
  meta: z.nullish(z.object({ billed_units: z.nullish(z.object({ search_units: z.nullish(z.number()) })) })),
});
export type RerankAnswer = z.infer<typeof rerankAnswer>;
