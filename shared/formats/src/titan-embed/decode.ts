import { noUsage } from '@model-gateway/canonical';
import { objectIn } from '../upstream/read-json.ts';
import type { ReadResult } from '../upstream/result.ts';
import { readVectors, type VectorForm } from '../upstream/vectors.ts';

/** Reads the vector of an answer, and the tokens of its input. */
export function readEmbedding(body: unknown, form: VectorForm): ReadResult | undefined {
  const { embedding, inputTextTokenCount: tokens } = objectIn(body) ?? {};
  const vectors = readVectors([embedding], form);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage:
      typeof tokens === 'number' ? { ...noUsage, input: tokens, raw: { inputTextTokenCount: tokens } } : null,
  };
}
