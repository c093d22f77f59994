import type { RerankAnswer } from '@model-gateway/canonical';
import type { ResultRenderer } from '@model-gateway/ingress';
import type { RerankAnswer as RerankBody, RerankDocument } from '@model-gateway/wire';

/** How many documents are ranked for one search unit. */
const documentsPerSearch = 100;

/** What of a request decides how its answer is written. */
export interface RerankOptions {
  model: string;
  /** How many documents there are. */
  count: number;
  /** The documents, where they are to stand in the answer. */
  shown?: readonly RerankDocument[] | undefined;
}

/** Writes one answer that clients of Cohere's two versions, of Jina and of vLLM read. */
export function rerankRenderer({ model, count, shown }: RerankOptions): ResultRenderer<RerankAnswer> {
  return {
    result({ id, model: told, ranked }, usage, { requestId }): RerankBody {
      const tokens = usage?.input ?? 0;
      return {
        id: id || requestId.replace(/^req_/, 'rerank-'),
        object: 'list',
        model: told || model,
        results: ranked.map(({ index, score }) => ({
          index,
          relevance_score: score,
          ...(shown && { document: asObject(shown[index] ?? '') }),
        })),
        usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens },
        meta: {
          api_version: { version: '2' },
          billed_units: { search_units: usage?.units?.searches ?? Math.ceil(count / documentsPerSearch) },
          tokens: { input_tokens: tokens, output_tokens: 0 },
        },
      };
    },
  };
}

function asObject(document: RerankDocument): Record<string, unknown> {
  return typeof document === 'string' ? { text: document } : document;
}
