import type { RerankAnswer } from '@model-gateway/canonical';
import type { ResultRenderer } from '../client/endpoint.ts';
import type { RerankAnswer as RerankBody, RerankDocument } from './types.ts';

/** The number of documents per billed search unit. */
const documentsPerSearch = 100;

/** The fields of a request that affect how its response is rendered. */
export interface RerankAnswerOptions {
  model: string;
  /** The number of documents. */
  count: number;
  /** The documents, if the client requested them in the response. */
  returned?: readonly RerankDocument[] | undefined;
}

/** Renders a response that clients of Cohere v1 and v2, Jina and vLLM can read. */
export function rerankRenderer({
  model,
  count,
  returned,
}: RerankAnswerOptions): ResultRenderer<RerankAnswer> {
  return {
    type: 'result',
    result({ id, model: upstreamModel, ranked }, usage, { requestId }): RerankBody {
      const tokens = usage?.input ?? 0;
      return {
        id: id || requestId.replace(/^req_/, 'rerank-'),
        object: 'list',
        model: upstreamModel || model,
        results: ranked.map(({ index, score }) => ({
          index,
          relevance_score: score,
          ...(returned && { document: asObject(returned[index] ?? '') }),
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
