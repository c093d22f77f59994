import { type EmbedRequest, noUsage } from '@model-gateway/canonical';
import { objectIn } from '../read-json.ts';
import type { ReadResult } from '../result.ts';
import { readVectors } from '../vectors.ts';

/** Reads the vector of an answer, and the tokens of its input. */
export function readEmbedding(body: unknown, encoding: EmbedRequest['encoding']): ReadResult | undefined {
  const { embedding, inputTextTokenCount: tokens } = objectIn(body) ?? {};
  const vectors = readVectors([embedding], encoding);
  if (!vectors) return undefined;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage:
      typeof tokens === 'number' ? { ...noUsage, input: tokens, raw: { inputTextTokenCount: tokens } } : null,
  };
}
