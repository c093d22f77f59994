import { z } from 'zod';
import { generateContentEnum, generateContentTaskTypes } from './generate-content/enums.ts';
import { generateContentModelName } from './model-name.ts';

/*
 * Embed content as the Gemini API has it (EmbedContentRequest, BatchEmbedContentsRequest and their answers), after its
 * fields were brought to camelCase.
 */

const maxRequests = 2048;

const content = z.looseObject({
  role: z.string().nullish(),
  /** Texts; some models also take media. */
  parts: z.array(z.looseObject({ text: z.string().nullish() })).min(1),
});

/** The body of `POST /v1beta/models/{model}:embedContent`. `null` means not set. */
export const embedContentRequest = z.looseObject({
  /** The name in the path again, after `models/`. */
  model: generateContentModelName.nullish(),
  content,
  /** What the vector is for: `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT`, … */
  taskType: generateContentEnum(generateContentTaskTypes).nullish(),
  /** Of a document. */
  title: z.string().nullish(),
  /** How many numbers the vector has. */
  outputDimensionality: z.int().min(1).nullish(),
});
export type EmbedContentRequest = z.infer<typeof embedContentRequest>;

/** The body of `POST /v1beta/models/{model}:batchEmbedContents`. */
export const batchEmbedRequest = z.looseObject({
  requests: z.array(embedContentRequest).min(1).max(maxRequests),
});

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
