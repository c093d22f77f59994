import { noUsage } from '@model-gateway/canonical';
import { objectIn } from '../upstream/read-json.ts';
import type { ReadResult } from '../upstream/result.ts';
import { readVectors, type VectorForm } from '../upstream/vectors.ts';

/** Reads the vectors of a response, and the sum of the tokens of its inputs. */
export function readEmbeddings(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  const predictions = objectIn(body)?.predictions;
  if (!Array.isArray(predictions)) return undefined;
  const embeddings = predictions.map(prediction => objectIn(objectIn(prediction)?.embeddings));
  const vectors = readVectors(
    embeddings.map(embedding => embedding?.values),
    form,
    count,
  );
  if (!vectors) return undefined;
  const tokens = embeddings.map(embedding => objectIn(embedding?.statistics)?.token_count);
  const known = tokens.every(token => typeof token === 'number');
  const input = known ? tokens.reduce((sum, token) => sum + token, 0) : 0;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage: known ? { ...noUsage, input, raw: { token_count: input } } : null,
  };
}
