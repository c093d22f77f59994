import type { RerankRequest } from '@model-gateway/canonical';
import { readRanking } from '../ranking.ts';
import type { ReadResult } from '../result.ts';

/** The answer is the list alone, and tells no usage. */
export function read(body: unknown, request: RerankRequest): ReadResult | undefined {
  const ranked = readRanking(body, request);
  return ranked && { result: { type: 'ranking', id: '', model: '', ranked }, usage: null };
}
