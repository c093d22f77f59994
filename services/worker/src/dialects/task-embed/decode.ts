import type { EmbedRequest } from '@model-gateway/canonical';
import { readEmbeddings } from '../embeddings/decode.ts';
import type { ReadResult } from '../result.ts';

/** Reads vectors as numbers or base64, in the shape of OpenAI's answers. */
export function readVectorsOf(
  body: unknown,
  count: number | undefined,
  encoding: EmbedRequest['encoding'],
): ReadResult | undefined {
  return readEmbeddings(body, { count, encoding });
}
