import type { RerankRequest } from '@model-gateway/canonical';
import { type CohereMeta, readCohereUsage } from '../cohere-meta.ts';
import { readRanking } from '../ranking.ts';
import type { ReadResult } from '../result.ts';

/** An answer, as far as it is what it should be. */
interface Body {
  id?: unknown;
  results?: unknown;
  meta?: CohereMeta | null;
}

export function read(body: unknown, request: RerankRequest): ReadResult | undefined {
  const { id, results, meta } = (body ?? {}) as Body;
  const ranked = readRanking(results, request);
  return (
    ranked && {
      result: { type: 'ranking', id: typeof id === 'string' ? id : '', model: '', ranked },
      usage: readCohereUsage(meta),
    }
  );
}
