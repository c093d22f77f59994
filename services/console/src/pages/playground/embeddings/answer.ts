import { z } from 'zod/mini';

/** The answer of `POST /v1/embeddings`, as far as the console reads it. */
export const embeddingsAnswer = z.object({
  data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })),
  usage: z.nullish(z.object({ prompt_tokens: z.number() })),
});
export type EmbeddingsAnswer = z.infer<typeof embeddingsAnswer>;
