import { readUsageOf } from '../upstream/any-usage.ts';
import type { ReadResult } from '../upstream/result.ts';
import { readVectors, type VectorForm } from '../upstream/vectors.ts';

/** The expected shape of a response. Version 1 has a plain list of vectors. */
interface Body {
  embeddings?: unknown[] | Record<string, unknown> | null;
  meta?: unknown;
}

export function readEmbeddings(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  const { embeddings, meta } = (body ?? {}) as Body;
  const { numbers = 'float' } = form;
  const list = Array.isArray(embeddings) ? embeddings : embeddings?.[numbers];
  const vectors = Array.isArray(list) ? readVectors(list, form, count) : undefined;
  if (!vectors) return undefined;
  return { result: { type: 'embeddings', model: '', vectors }, usage: readUsageOf({ meta }) };
}
