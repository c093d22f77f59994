import { z } from 'zod';
import { generateContentEnum, generateContentTaskTypes } from '../generate-content/enums.ts';
import { repeated, textAsContent, textAsPart } from '../generate-content/repeated.ts';
import type { Closed } from '../values/json-object.ts';
import { generateContentModelName } from '../values/model-name.ts';

/*
 * Embed content as in the Gemini API (EmbedContentRequest, BatchEmbedContentsRequest and their responses),
 * with field names converted to camelCase.
 */

const maxRequests = 2048;

const content = z.preprocess(
  textAsContent,
  z.looseObject({
    role: z.string().nullish(),
    parts: repeated(
      z.array(z.preprocess(textAsPart, z.looseObject({ text: z.string().nullish() }))).min(1),
    ).describe('Texts; some models accept media too.'),
  }),
);

/** The body of `POST /v1beta/models/{model}:embedContent`. `null` means not set. */
export const embedContentRequest = z.looseObject({
  model: generateContentModelName.nullish().describe('Repeats the model name of the path, after `models/`.'),
  content,
  taskType: generateContentEnum(generateContentTaskTypes)
    .nullish()
    .describe('Purpose of the vector: `RETRIEVAL_QUERY`, `RETRIEVAL_DOCUMENT`, …'),
  title: z.string().nullish().describe('Title of a document.'),
  outputDimensionality: z.int().min(1).nullish().describe('Numbers per vector.'),
});
export type EmbedContentRequest = z.infer<typeof embedContentRequest>;
/** A request as the gateway writes it. */
export type EmbedContentRequestParams = Closed<EmbedContentRequest>;

/** The body of `POST /v1beta/models/{model}:batchEmbedContents`. */
export const batchEmbedRequest = z.looseObject({
  requests: repeated(z.array(embedContentRequest).min(1).max(maxRequests)),
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
