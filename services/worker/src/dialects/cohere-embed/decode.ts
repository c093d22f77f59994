import type { EmbedRequest } from '@model-gateway/canonical';
import { type CohereMeta, readCohereUsage } from '../cohere-usage.ts';
import type { ReadResult } from '../result.ts';
import { readVectors } from '../vectors.ts';

/** An answer, as far as it is what it should be; that of the first version has its vectors without a type. */
interface Body {
  embeddings?: unknown[] | { float?: unknown } | null;
  meta?: CohereMeta | null;
}

export function readEmbeddings(
  body: unknown,
  count: number | undefined,
  encoding: EmbedRequest['encoding'],
): ReadResult | undefined {
  const { embeddings, meta } = (body ?? {}) as Body;
  const list = Array.isArray(embeddings) ? embeddings : embeddings?.float;
  const vectors = Array.isArray(list) ? readVectors(list, encoding, count) : undefined;
  if (!vectors) return undefined;
  return { result: { type: 'embeddings', model: '', vectors }, usage: readCohereUsage(meta) };
}
