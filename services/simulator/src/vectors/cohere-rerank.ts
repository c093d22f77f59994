import { z } from 'zod';
import { immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { meta, validationError } from './cohere.ts';
import { ranking, tokensInAll } from './vector.ts';

const maxDocuments = 10_000;
const documentsPerSearch = 100;
const noModel = '*model must be specified';
const noQuery = '*query must not be empty or be only whitespace';
const noDocuments = '*list of documents must not be empty';

const rerankRequest = z.strictObject({
  model: z.string({ error: noModel }).min(1, noModel),
  query: z.string({ error: noQuery }).trim().min(1, noQuery),
  documents: z
    .array(z.string({ error: '*documents must be strings' }), { error: noDocuments })
    .min(1, noDocuments)
    .max(maxDocuments, `*total number of documents must be at most ${maxDocuments}`),
  top_n: z.int().min(1, '*top_n must be at least 1').nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
  priority: z.int().nullish(),
});
export type ParsedRerank = z.infer<typeof rerankRequest>;

/** @throws ApiError as the vendor would */
export function parseRerank(body: unknown): ParsedRerank {
  const { data, error } = rerankRequest.safeParse(body);
  if (!data) throw validationError(error);
  return data;
}

export function rerank({ model, query, documents, top_n: top }: ParsedRerank, mark?: Mark): Outcome {
  const ranked = ranking(query, documents).slice(0, top ?? documents.length);
  const body = {
    id: withMark('a0a1b2c3-0000-4000-8000-000000000000', mark),
    results: ranked.map(({ index, score }) => ({ index, relevance_score: score })),
    meta: meta({ search_units: Math.ceil(documents.length / documentsPerSearch) }),
  };
  return immediate(model, body, tokensInAll([query, ...documents]));
}
