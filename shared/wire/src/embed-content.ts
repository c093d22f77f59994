import { z } from 'zod';
import { generateContentEnum, generateContentTaskTypes } from './generate-content/enums.ts';
import type { Closed } from './json-object.ts';
import { generateContentModelName } from './model-name.ts';

/*
 * Embed content as in the Gemini API (EmbedContentRequest, BatchEmbedContentsRequest and their responses),
 * with field names converted to camelCase.
 */

const maxRequests = 2048;

const content = z.looseObject({
  role: z.string().nullish(),
  /** Texts; some models accept media too. */
  parts: z.array(z.looseObject({ text: z.string().nullish() })).min(1),
});

/** The body of `POST /v1beta/models/{model}:embedContent`. `null` means not set. */
export const embedContentRequest = z.looseObject({
  /** Repeats the model name of the path, after `models/`. */
  model: generateContentModelName.nullish(),
  content,
  /** Purpose of the vector: `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT`, … */
  taskType: generateContentEnum(generateContentTaskTypes).nullish(),
  /** Title of a document. */
  title: z.string().nullish(),
  /** Numbers per vector. */
  outputDimensionality: z.int().min(1).nullish(),
});
export type EmbedContentRequest = z.infer<typeof embedContentRequest>;
/** A request as the gateway writes it. */
export type EmbedContentRequestParams = Closed<EmbedContentRequest>;

/** The body of `POST /v1beta/models/{model}:batchEmbedContents`. */
export const batchEmbedRequest = z.looseObject({
  requests: z.array(embedContentRequest).min(1).max(maxRequests),
});
/** A batch as the gateway writes it. */
export interface BatchEmbedRequestParams {
  requests: EmbedContentRequestParams[];
}

interface Embedding {
  values: number[];
}
interface EmbedUsage {
  usageMetadata?: { promptTokenCount: number };
}

export interface EmbedContentAnswer extends EmbedUsage {
  embedding: Embedding;
}

export interface BatchEmbedAnswer extends EmbedUsage {
  embeddings: Embedding[];
}
