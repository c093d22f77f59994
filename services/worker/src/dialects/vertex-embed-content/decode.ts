import type { EmbedRequest } from '@model-gateway/canonical';
import { readEmbeddings } from '../embed-content/decode.ts';
import type { ReadResult } from '../result.ts';

/** Reads the one vector of an answer, in the shape of Gemini's. */
export function readEmbedding(body: unknown, encoding: EmbedRequest['encoding']): ReadResult | undefined {
  return readEmbeddings(body, 1, encoding);
}
