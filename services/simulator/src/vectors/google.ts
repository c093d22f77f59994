import { generateContentTaskTypes } from '@model-gateway/formats';
import { z } from 'zod';
import { validatedBy } from '../common/api-error.ts';
import { generateContent } from '../generate-content/format.ts';
import { targetOf } from '../generate-content/parse.ts';
import { part } from '../generate-content/request.ts';
import { badRequest, validated } from '../generate-content/validation-error.ts';
import { embedder } from './embeddings.ts';
import { maxDimensions, tokensInAll } from './vector.ts';

const unspecified = '* EmbedContentRequest.content: contents is not specified';
const empty = '* EmbedContentRequest.content: contents.parts must not be empty.';
const task = z.enum(generateContentTaskTypes as [string, ...string[]]);
const taskType = task.nullish();
const length = z.int().min(1).max(maxDimensions);
const outputDimensionality = length.nullish();
const fields = {
  content: z.strictObject(
    { role: z.string().nullish(), parts: z.array(part, { error: empty }).min(1, empty) },
    { error: unspecified },
  ),
  taskType,
  title: z.string().nullish(),
  outputDimensionality,
};
const embedRequest = z.strictObject({ model: z.string().nullish(), ...fields });

const maxRequests = 100;
const none = '* BatchEmbedContentsRequest.requests: requests is not specified';
const badName = '* BatchEmbedContentsRequest.requests.model: unexpected model name format';
const tooManyRequests = `* BatchEmbedContentsRequest.requests: at most ${maxRequests} requests can be in one batch`;
const namedModel = z.string({ error: badName }).regex(/^(?:models|tunedModels)\/./, badName);
const batchRequest = z.strictObject({
  requests: z
    .array(z.strictObject({ model: namedModel, ...fields }), { error: none })
    .min(1, none)
    .max(maxRequests, tooManyRequests),
});

/** Media counts as its data. */
function textOf({ content }: z.infer<typeof embedRequest>): string {
  return content.parts.map(({ text, ...data }) => text ?? JSON.stringify(data)).join('\n');
}

function usageOf(tokens: number) {
  const promptTokenDetails = [{ modality: 'TEXT', tokenCount: tokens }];
  return { usageMetadata: { promptTokenCount: tokens, promptTokenDetails } };
}

const embedding = (vector: Float32Array = new Float32Array()) => ({ values: [...vector] });

/** Google's embeddings of one content. */
export const embedContent = embedder(generateContent, (body, url) => {
  const request = validated(embedRequest, body);
  return {
    model: targetOf(url).model,
    texts: [textOf(request)],
    dimensions: request.outputDimensionality,
    body: ([vector], tokens) => ({ embedding: embedding(vector), ...usageOf(tokens) }),
  };
});

/** Google's embeddings of several contents. */
export const batchEmbedContents = embedder(generateContent, (body, url) => {
  const { model } = targetOf(url);
  const { requests } = validated(batchRequest, body);
  const other = requests.findIndex(request => request.model !== `models/${model}`);
  const field = `requests[${other}].model`;
  if (other >= 0)
    throw badRequest(`* BatchEmbedContentsRequest.${field}: the model must be the one in the URL`, field);
  return {
    model,
    texts: requests.map(textOf),
    dimensions: requests.map(({ outputDimensionality }) => outputDimensionality),
    body: (vectors, tokens) => ({ embeddings: vectors.map(embedding), ...usageOf(tokens) }),
  };
});

const predictRequest = z.strictObject({
  instances: z
    .array(z.strictObject({ content: z.string().min(1), task_type: taskType, title: z.string().nullish() }))
    .min(1),
  parameters: z.strictObject({ outputDimensionality, autoTruncate: z.boolean().nullish() }).nullish(),
});

/** @throws ApiError as Vertex AI does for a request that does not fit the schema */
function validatedAtVertex<T>(schema: z.ZodType<T>, body: unknown, field: string): T {
  return validatedBy(error => badRequest(`Invalid request: ${z.prettifyError(error)}`, field))(schema, body);
}

/** Text embeddings by the `predict` method of Vertex AI. `gemini-embedding-001` takes one text at a time. */
export const predict = embedder(generateContent, (body, url) => {
  const { model } = targetOf(url);
  const { instances, parameters } = validatedAtVertex(predictRequest, body, 'instances');
  const most = model === 'gemini-embedding-001' ? 1 : 250;
  if (instances.length > most)
    throw badRequest(`${instances.length} instance(s) is more than the maximum of ${most}.`, 'instances');
  const texts = instances.map(({ content }) => content);
  const statistics = (at: number) => ({
    token_count: tokensInAll(texts.slice(at, at + 1)),
    truncated: false,
  });
  return {
    model,
    texts,
    dimensions: parameters?.outputDimensionality,
    body: vectors => ({
      predictions: vectors.map((vector, at) => ({
        embeddings: { ...embedding(vector), statistics: statistics(at) },
      })),
    }),
  };
});

const vertexRequest = z.strictObject({
  content: z.strictObject({
    role: z.string().optional(),
    parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1),
  }),
  embedContentConfig: z
    .strictObject({
      taskType: task.optional(),
      title: z.string().optional(),
      outputDimensionality: length.optional(),
      autoTruncate: z.boolean().optional(),
    })
    .optional(),
});

/** Embeddings of one content by the `embedContent` method of Vertex AI, for models since Gemini Embedding 2. */
export const embedContentAtVertex = embedder(generateContent, (body, url) => {
  const { content, embedContentConfig: config } = validatedAtVertex(vertexRequest, body, 'content');
  return {
    model: targetOf(url).model,
    texts: [content.parts.map(({ text }) => text).join('\n')],
    dimensions: config?.outputDimensionality,
    body: ([vector], tokens) => ({
      embedding: embedding(vector),
      usageMetadata: { promptTokenCount: tokens },
      truncated: false,
    }),
  };
});
