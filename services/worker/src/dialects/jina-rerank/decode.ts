import { noUsage, type RerankRequest, type Usage } from '@model-gateway/canonical';
import { type CohereMeta, readCohereUsage } from '../cohere-meta.ts';
import { readRanking } from '../ranking.ts';
import type { ReadResult } from '../result.ts';

/** An answer, as far as it is what it should be. SGLang's is the list alone, and Voyage's is in `data`. */
interface Body {
  id?: unknown;
  model?: unknown;
  results?: unknown;
  data?: unknown;
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null;
  meta?: CohereMeta | null;
}

export function read(body: unknown, request: RerankRequest): ReadResult | undefined {
  const { id, model, results, data, usage, meta }: Body = Array.isArray(body)
    ? { results: body }
    : ((body ?? {}) as Body);
  const ranked = readRanking(results ?? data, request);
  return (
    ranked && {
      result: { type: 'ranking', id: textOf(id), model: textOf(model), ranked },
      usage: readUsage(usage) ?? readCohereUsage(meta),
    }
  );
}

function readUsage(usage: Body['usage']): Usage | null {
  const input = usage?.total_tokens ?? usage?.prompt_tokens;
  return typeof input === 'number' && input > 0 ? { ...noUsage, input, raw: usage } : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
