import { atOnce, type Outcome } from '../delivery.ts';
import { type Mark, withMark } from '../faults/mark.ts';
import { ranking } from '../vectors/ranking.ts';
import { tokensInAll } from '../vectors/tokens.ts';
import type { RerankAsked } from './parse.ts';

/** The documents in order, in one body that readers of Jina's and of vLLM's answers understand. */
export function whole({ model, query, documents, top, shown }: RerankAsked, mark?: Mark): Outcome {
  const tokens = tokensInAll([query, ...documents]);
  const results = ranking(query, documents)
    .slice(0, top)
    .map(({ index, score }) => ({
      index,
      ...(shown && { document: { text: documents[index] } }),
      relevance_score: score,
    }));
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return atOnce(
    model,
    { id: withMark('rerank-5e1f0c2a', mark), object: 'list', model, usage, results },
    tokens,
  );
}
