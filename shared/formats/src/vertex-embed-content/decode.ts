import { readEmbeddings } from '../embed-content/decode.ts';
import type { ReadResult } from '../upstream/result.ts';
import type { VectorForm } from '../upstream/vectors.ts';

/** Reads the one vector of an answer, in the shape of Gemini's. */
export function readEmbedding(body: unknown, form: VectorForm): ReadResult | undefined {
  return readEmbeddings(body, 1, form);
}
