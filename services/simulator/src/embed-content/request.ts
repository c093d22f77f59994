import { z } from 'zod';
import { part } from '../generate-content/part.ts';
import { mostDimensions } from '../vectors/vector.ts';

const unspecified = '* EmbedContentRequest.content: contents is not specified';
const empty = '* EmbedContentRequest.content: contents.parts must not be empty.';

const fields = {
  content: z.strictObject(
    { role: z.string().nullish(), parts: z.array(part, { error: empty }).min(1, empty) },
    { error: unspecified },
  ),
  taskType: z
    .enum([
      'TASK_TYPE_UNSPECIFIED',
      'RETRIEVAL_QUERY',
      'RETRIEVAL_DOCUMENT',
      'SEMANTIC_SIMILARITY',
      'CLASSIFICATION',
      'CLUSTERING',
      'QUESTION_ANSWERING',
      'FACT_VERIFICATION',
      'CODE_RETRIEVAL_QUERY',
    ])
    .nullish(),
  title: z.string().nullish(),
  outputDimensionality: z.int().min(1).max(mostDimensions).nullish(),
};

/** A request for one vector, in camelCase. */
export const embedRequest = z.strictObject({ model: z.string().nullish(), ...fields });
export type EmbedRequest = z.infer<typeof embedRequest>;

const mostRequests = 100;
const none = '* BatchEmbedContentsRequest.requests: requests is not specified';
const badName = '* BatchEmbedContentsRequest.requests.model: unexpected model name format';

/** Requests for a vector each; each names the model. */
export const batchRequest = z.strictObject({
  requests: z
    .array(
      z.strictObject({
        model: z.string({ error: badName }).regex(/^(?:models|tunedModels)\/./, badName),
        ...fields,
      }),
      { error: none },
    )
    .min(1, none)
    .max(
      mostRequests,
      `* BatchEmbedContentsRequest.requests: at most ${mostRequests} requests can be in one batch`,
    ),
});
