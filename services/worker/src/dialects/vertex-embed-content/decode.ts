import { readEmbeddings } from '../embed-content/decode.ts';
import type { ReadResult } from '../result.ts';
import type { VectorForm } from '../vectors.ts';

/** Reads the one vector of an answer, in the shape of Gemini's. */
export function readEmbedding(body: unknown, form: VectorForm): ReadResult | undefined {
  return readEmbeddings(body, 1, form);
}
