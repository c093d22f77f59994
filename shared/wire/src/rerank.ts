import { z } from 'zod';
import { modelName } from './model-name.ts';
import { wholeNumber } from './whole-number.ts';

/*
 * Rerank as no standard has it: what Cohere's two versions, Jina and vLLM send, and an answer that all of their clients
 * read.
 */

const maxDocuments = 10_000;

/** The body of `POST /v1/rerank`. `null` means not set. Default: return_documents false. */
export const rerankRequest = z.looseObject({
  model: modelName,
  query: z.string().min(1),
  /** Texts, or objects with one in `text` or in the `rank_fields`. */
  documents: z
    .array(
      z.union([z.string(), z.record(z.string(), z.unknown())], {
        error: 'a string or an object with a text',
      }),
    )
    .min(1)
    .max(maxDocuments),
  /** How many of the best are wanted; 0 is all. */
  top_n: wholeNumber({ min: 0 }).nullish(),
  /** Whether the documents stand in the answer. */
  return_documents: z.boolean().nullish(),
  /** What of a document that is an object is ranked, in this order. Default: `text`. */
  rank_fields: z.array(z.string()).nullish(),
  /** The most tokens of a document that are read. */
  max_tokens_per_doc: wholeNumber({ min: 1 }).nullish(),
});
export type RerankRequest = z.infer<typeof rerankRequest>;
export type RerankDocument = RerankRequest['documents'][number];

export interface RerankAnswer {
  id: string;
  object: 'list';
  model: string;
  results: { index: number; relevance_score: number; document?: Record<string, unknown> }[];
  /** As Jina and vLLM tell it. */
  usage: { prompt_tokens: number; completion_tokens: 0; total_tokens: number };
  /** As Cohere tells it. */
  meta: {
    api_version: { version: string };
    billed_units: { search_units: number };
    tokens: { input_tokens: number; output_tokens: 0 };
  };
}
