import type { IncomingHttpHeaders } from 'node:http';
import { camelCased, generateContentTaskTypes } from '@model-gateway/wire';
import { z } from 'zod';
import { type DeliveryFormat, immediate, type Outcome } from '../delivery.ts';
import { generateContent } from '../generate-content/format.ts';
import { targetOf } from '../generate-content/parse.ts';
import { part } from '../generate-content/request.ts';
import { badRequest, validationError } from '../generate-content/validation-error.ts';
import { dimensionsOf, maxDimensions, tokensInAll, vectorOf } from './vector.ts';

export const embedContent: DeliveryFormat = generateContent;

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

/** Requests for a vector each; each names the model. */
const batchRequest = z.strictObject({
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
      maxRequests,
      `* BatchEmbedContentsRequest.requests: at most ${maxRequests} requests can be in one batch`,
    ),
});

interface ParsedEmbed {
  model: string;
  wanted: { text: string; dimensions: number }[];
  tokens: number;
}

/** Reads a request for one vector. @throws ApiError as the vendor would */
export function parse(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedEmbed {
  const { model } = targetOf(url);
  const { data: request, error } = embedRequest.safeParse(camelCased(body));
  if (!request) throw validationError(error);
  return read(model, [request]);
}

/** Reads a request for many. @throws ApiError as the vendor would */
export function parseBatch(body: unknown, _headers: IncomingHttpHeaders, url: string): ParsedEmbed {
  const { model } = targetOf(url);
  const { data, error } = batchRequest.safeParse(camelCased(body));
  if (!data) throw validationError(error);
  const other = data.requests.findIndex(request => request.model !== `models/${model}`);
  if (other >= 0)
    throw badRequest(
      `* BatchEmbedContentsRequest.requests[${other}].model: the model must be the one in the URL`,
      `requests[${other}].model`,
    );
  return read(model, data.requests);
}

function read(model: string, requests: EmbedRequest[]): ParsedEmbed {
  const wanted = requests.map(request => ({
    text: textOf(request),
    dimensions: request.outputDimensionality ?? dimensionsOf(model),
  }));
  return { model, wanted, tokens: tokensInAll(wanted.map(({ text }) => text)) };
}

/** The text of a content. Media counts as its data. */
function textOf({ content }: EmbedRequest): string {
  return content.parts.map(({ text, ...data }) => text ?? JSON.stringify(data)).join('\n');
}

export function whole(parsed: ParsedEmbed): Outcome {
  const [embedding] = vectorsOf(parsed);
  return immediate(parsed.model, { embedding, ...usageOf(parsed) }, parsed.tokens);
}

export function wholeBatch(parsed: ParsedEmbed): Outcome {
  return immediate(parsed.model, { embeddings: vectorsOf(parsed), ...usageOf(parsed) }, parsed.tokens);
}

function vectorsOf({ wanted }: ParsedEmbed) {
  return wanted.map(({ text, dimensions }) => ({ values: [...vectorOf(text, dimensions)] }));
}

function usageOf({ tokens }: ParsedEmbed) {
  return {
    usageMetadata: {
      promptTokenCount: tokens,
      promptTokenDetails: [{ modality: 'TEXT', tokenCount: tokens }],
    },
  };
}
