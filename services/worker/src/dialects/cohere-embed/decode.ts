import type { EmbedRequest } from '@model-gateway/canonical';
import { type CohereMeta, readCohereUsage } from '../rerank/decode.ts';
import type { ReadResult } from '../result.ts';
import { readVectors } from '../vectors.ts';

/** The expected shape of a response. Version 1 has a plain list of vectors. */
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
