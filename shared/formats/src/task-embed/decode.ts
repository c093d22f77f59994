import { readEmbeddings } from '../embeddings/decode.ts';
import type { ReadResult } from '../upstream/result.ts';
import type { VectorForm } from '../upstream/vectors.ts';

/** Reads vectors as numbers or base64, in the shape of OpenAI's answers. */
export function readVectorsOf(
  body: unknown,
  count: number | undefined,
  form: VectorForm,
): ReadResult | undefined {
  return readEmbeddings(body, { count, ...form });
}
