import { z } from 'zod';
import { openai } from '../chat/format.ts';
import { immediate, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/stream-faults.ts';
import { validated } from '../openai-error.ts';
import type { Api } from '../routes.ts';
import { ranking, tokensInAll } from './vector.ts';

const maxDocuments = 2_048;

/** The fields of Jina and of vLLM. Fields that only one of them has are ignored. */
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

type ParsedRerank = z.infer<typeof rerankRequest>;

/** One body for clients of Jina and of vLLM. Documents are repeated by default, and `top_n: 0` is all. */
function answer(request: ParsedRerank, mark?: Mark): Outcome {
  const { model, query, top_n: top, return_documents: repeats = true } = request;
  const documents = request.documents.map(one => (typeof one === 'string' ? one : one.text));
  const tokens = tokensInAll([query, ...documents]);
  const results = ranking(query, documents)
    .slice(0, top || documents.length)
    .map(({ index, score }) => ({
      index,
      ...(repeats !== false && { document: { text: documents[index] } }),
      relevance_score: score,
    }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  const id = withMark('rerank-5e1f0c2a', mark);
  return immediate(model, { id, object: 'list', model, usage, results }, tokens);
}

/** Reranking as in Jina and vLLM, with vLLM's errors, which are those of chat. */
export const rerank: Api<ParsedRerank> = {
  format: openai,
  parse: body => validated(rerankRequest, body),
  answer,
};
