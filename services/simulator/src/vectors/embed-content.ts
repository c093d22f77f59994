import { generateContentTaskTypes } from '@model-gateway/formats';
import { z } from 'zod';
import { immediate, type Outcome } from '../delivery.ts';
import { generateContent } from '../generate-content/format.ts';
import { targetOf } from '../generate-content/parse.ts';
import { part } from '../generate-content/request.ts';
import { badRequest, validated } from '../generate-content/validation-error.ts';
import type { Api } from '../routes.ts';
import { dimensionsOf, maxDimensions, tokensInAll, vectorOf } from './vector.ts';

const unspecified = '* EmbedContentRequest.content: contents is not specified';
const empty = '* EmbedContentRequest.content: contents.parts must not be empty.';

const fields = {
  content: z.strictObject(
    { role: z.string().nullish(), parts: z.array(part, { error: empty }).min(1, empty) },
    { error: unspecified },
  ),
  taskType: z.enum(generateContentTaskTypes as [string, ...string[]]).nullish(),
  title: z.string().nullish(),
  outputDimensionality: z.int().min(1).max(maxDimensions).nullish(),
};

const embedRequest = z.strictObject({ model: z.string().nullish(), ...fields });
type EmbedRequest = z.infer<typeof embedRequest>;

const maxRequests = 100;
const none = '* BatchEmbedContentsRequest.requests: requests is not specified';
const badName = '* BatchEmbedContentsRequest.requests.model: unexpected model name format';

const tooMany = `* BatchEmbedContentsRequest.requests: at most ${maxRequests} requests can be in one batch`;
const namedModel = z.string({ error: badName }).regex(/^(?:models|tunedModels)\/./, badName);

const batchRequest = z.strictObject({
  requests: z
    .array(z.strictObject({ model: namedModel, ...fields }), { error: none })
    .min(1, none)
    .max(maxRequests, tooMany),
});

interface ParsedEmbed {
  model: string;
  inputs: { text: string; dimensions: number }[];
  tokens: number;
}

/** Media counts as its data. */
function read(model: string, requests: EmbedRequest[]): ParsedEmbed {
  const inputs = requests.map(({ content, outputDimensionality: dimensions }) => ({
    text: content.parts.map(({ text, ...data }) => text ?? JSON.stringify(data)).join('\n'),
    dimensions: dimensions ?? dimensionsOf(model),
  }));
  return { model, inputs, tokens: tokensInAll(inputs.map(({ text }) => text)) };
}

/** Makes the body from the vectors. */
function answer({ model, inputs, tokens }: ParsedEmbed, body: (vectors: object[]) => object): Outcome {
  const vectors = inputs.map(({ text, dimensions }) => ({ values: [...vectorOf(text, dimensions)] }));
  const promptTokenDetails = [{ modality: 'TEXT', tokenCount: tokens }];
  const usageMetadata = { promptTokenCount: tokens, promptTokenDetails };
  return immediate(model, { ...body(vectors), usageMetadata }, tokens);
}

export const embedContent: Api<ParsedEmbed> = {
  format: generateContent,
  parse: (body, _headers, url) => read(targetOf(url).model, [validated(embedRequest, body)]),
  answer: parsed => answer(parsed, ([embedding]) => ({ embedding })),
};

export const batchEmbedContents: Api<ParsedEmbed> = {
  format: generateContent,
  parse(body, _headers, url) {
    const { model } = targetOf(url);
    const { requests } = validated(batchRequest, body);
    const other = requests.findIndex(request => request.model !== `models/${model}`);
    if (other < 0) return read(model, requests);
    const field = `requests[${other}].model`;
    throw badRequest(`* BatchEmbedContentsRequest.${field}: the model must be the one in the URL`, field);
  },
  answer: parsed => answer(parsed, embeddings => ({ embeddings })),
};
