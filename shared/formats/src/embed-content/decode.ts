import { noUsage } from '@model-gateway/canonical';
import type { ReadResult } from '../upstream/result.ts';
import { readVectors, type VectorForm } from '../upstream/vectors.ts';

/** The expected shape of a response. */
interface Body {
  embedding?: Embedding;
  embeddings?: Embedding[];
  usageMetadata?: { promptTokenCount?: unknown };
}
type Embedding = { values?: unknown } | null;

/** Reads the vectors of a single or batch response. */
export function readEmbeddings(body: unknown, count: number, form: VectorForm): ReadResult | undefined {
  const { embedding, embeddings = [embedding ?? null], usageMetadata } = (body ?? {}) as Body;
  if (!Array.isArray(embeddings)) return undefined;
  const vectors = readVectors(
    embeddings.map(each => each?.values),
    form,
    count,
  );
  if (!vectors) return undefined;
  const input = usageMetadata?.promptTokenCount;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage: typeof input === 'number' ? { ...noUsage, input, raw: usageMetadata } : null,
  };
}
