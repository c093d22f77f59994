import { z } from 'zod';
import { modelName } from '../values/model-name.ts';
import { wholeNumber } from '../values/whole-number.ts';

/*
 * Rerank, which has no standard: the fields of Cohere's two versions, Jina and vLLM, and a response that all
 * of their clients can read.
 */

const maxDocuments = 10_000;

/** The body of `POST /v1/rerank`. `null` means not set. Default: return_documents false. */
export const rerankRequest = z.looseObject({
  model: modelName,
  query: z.string().min(1),
  documents: z
    .array(
      z.union([z.string(), z.record(z.string(), z.unknown())], {
        error: 'a string or an object with a text',
      }),
    )
    .min(1)
    .max(maxDocuments)
    .describe('Texts, or objects with a text in `text` or in the `rank_fields`.'),
  top_n: wholeNumber({ min: 0 }).nullish().describe('Number of best documents to return; 0 for all.'),
  return_documents: z.boolean().nullish().describe('True if the response includes the documents.'),
  rank_fields: z
    .array(z.string())
    .nullish()
    .describe('Fields to rank of a document that is an object, in this order. Default: `text`.'),
  max_tokens_per_doc: wholeNumber({ min: 1 }).nullish().describe('The most tokens read of each document.'),
});
export type RerankRequest = z.infer<typeof rerankRequest>;

/** The body of Cohere's `POST /v2/rerank` (`V2RerankRequest` in its SDK), which Jina and vLLM accept too. */
export interface CohereRerankRequestParams {
  model: string;
  query: string;
  documents: string[];
  top_n?: number;
  max_tokens_per_doc?: number;
}

/** The body of `POST /rerank` of Hugging Face's text-embeddings-inference (`RerankRequest` in its OpenAPI file). */
export interface TeiRerankRequestParams {
  query: string;
  texts: string[];
  raw_scores: boolean;
  truncate: boolean;
}

export type RerankDocument = RerankRequest['documents'][number];

export interface RerankAnswer {
  id: string;
  object: 'list';
  model: string;
  results: { index: number; relevance_score: number; document?: Record<string, unknown> }[];
  /** Usage in the form of Jina and vLLM. */
  usage: { prompt_tokens: number; completion_tokens: 0; total_tokens: number };
  /** Usage in Cohere's form. */
  meta: {
    api_version: { version: string };
    billed_units: { search_units: number };
    tokens: { input_tokens: number; output_tokens: 0 };
  };
}

/** A request to Voyage's rerank API, from its SDK (voyageai 0.4, RerankRequest). */
export interface VoyageRerankRequestParams {
  model: string;
  query: string;
  documents: string[];
  top_k?: number | undefined;
}
