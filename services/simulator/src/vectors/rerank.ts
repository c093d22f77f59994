import { z } from 'zod';
import { bearer } from '../body.ts';
import { errorBody } from '../chat/format.ts';
import { type DeliveryFormat, immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { validated } from '../openai-error.ts';
import { ranking, tokensInAll } from './vector.ts';

/** Reranking as Jina and vLLM have it, with errors as vLLM's, which are those of chat. */
export const rerank: DeliveryFormat = {
  overloaded: 503,
  headers: requestId => ({ 'x-request-id': requestId }),
  key: bearer,
  errorBody,
};

const maxDocuments = 2_048;

/** Accepts the fields of Jina and of vLLM. Fields that only one of them knows are ignored. */
const rerankRequest = z.looseObject({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string(), z.looseObject({ text: z.string() })]))
    .min(1)
    .max(maxDocuments),
  top_n: z.int().min(0).nullish(),
  return_documents: z.boolean().nullish(),
});

interface ParsedRerank {
  model: string;
  query: string;
  documents: string[];
  top: number;
  /** True if the answer repeats the documents. */
  shown: boolean;
}

/** Documents are shown by default, and `top_n: 0` is all. @throws ApiError */
export function parse(body: unknown): ParsedRerank {
  const request = validated(rerankRequest, body);
  const { model, query, documents, top_n: top, return_documents: shown } = request;
  return {
    model,
    query,
    documents: documents.map(one => (typeof one === 'string' ? one : one.text)),
    top: top || documents.length,
    shown: shown ?? true,
  };
}

/** One body for clients of Jina and of vLLM. */
export function whole({ model, query, documents, top, shown }: ParsedRerank, mark?: Mark): Outcome {
  const tokens = tokensInAll([query, ...documents]);
  const results = ranking(query, documents)
    .slice(0, top)
    .map(({ index, score }) => ({
      index,
      ...(shown && { document: { text: documents[index] } }),
      relevance_score: score,
    }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return immediate(
    model,
    { id: withMark('rerank-5e1f0c2a', mark), object: 'list', model, usage, results },
    tokens,
  );
}
