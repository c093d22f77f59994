import { z } from 'zod';
import type { Closed } from './json-object.ts';
import { modelName } from './model-name.ts';
import { wholeNumber } from './whole-number.ts';

/*
 * Embeddings as in OpenAI's published API description (CreateEmbeddingRequest and -Response). The fields for
 * the purpose of the vectors are not OpenAI's: compatible servers accept them.
 */

const maxInputs = 2048;
const text = z.string().min(1);
const tokens = z.array(wholeNumber({ min: 0 })).min(1);
const several = <Input extends z.ZodType>(input: Input) => z.array(input).min(1).max(maxInputs);

/** Every form of an input: a text or several, or the token ids of one or several. */
export const embeddingsInput = z.union([text, several(text), tokens, several(tokens)]);

/** Validates an input by the form that its first item suggests, so that errors refer to that form. */
const inputs = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<string | string[] | number[] | number[][]>;

function inputForm(value: unknown): z.ZodType {
  if (!Array.isArray(value)) return text;
  if (typeof value[0] === 'number') return tokens;
  return several(Array.isArray(value[0]) ? tokens : text);
}

/** The body of `POST /v1/embeddings`. `null` means not set. Default: encoding_format float. */
export const embeddingsRequest = z.looseObject({
  model: modelName,
  input: inputs.describe('A text or several, or the token ids of one or several.'),
  dimensions: wholeNumber({ min: 1 }).nullish().describe('Numbers per vector.'),
  encoding_format: z
    .enum(['float', 'base64'])
    .nullish()
    .describe('Numbers, or base64 of little-endian 32-bit floats.'),
  user: z.string().nullish(),
  input_type: z
    .string()
    .nullish()
    .describe(
      'Purpose of the vectors in the terms of Cohere, Voyage and others: `query`, `search_document`, …',
    ),
  task: z
    .string()
    .nullish()
    .describe("Purpose of the vectors in Jina's terms: `retrieval.query`, `text-matching`, …"),
  truncate: z
    .union([z.boolean(), z.string()], { error: 'a boolean or a string' })
    .nullish()
    .describe("True if an input that is too long is truncated; or Cohere's strings: `NONE`, `START`, `END`."),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsRequest>;

/** A request as the gateway writes it; its input is a list of texts and of token ids. */
export type EmbeddingsRequestParams = Omit<Closed<EmbeddingsRequest>, 'input'> & {
  input: (string | number[])[];
};

/** The body of Cohere's `POST /v2/embed`, as in the types of its SDK (`V2EmbedRequest`). */
export interface CohereEmbedRequestParams {
  model: string;
  texts: string[];
  input_type: 'search_query' | 'search_document' | 'classification' | 'clustering';
  embedding_types: 'float'[];
  output_dimension?: number;
  /** `RIGHT` is the word of Embed v4 on Amazon Bedrock for `END`. */
  truncate?: 'NONE' | 'START' | 'END' | 'RIGHT';
}

export interface EmbeddingsAnswer {
  object: 'list';
  model: string;
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
}

/** The body of a request of Vertex AI's `predict` method for text embeddings. */
export interface VertexEmbedRequestParams {
  instances: { content: string; task_type?: string; title?: string }[];
  parameters?: { outputDimensionality?: number | undefined; autoTruncate?: boolean | undefined };
}

/** The body of Vertex AI's `embedContent` method, which takes one content. */
export interface VertexEmbedContentRequestParams {
  content: { role: 'user'; parts: { text: string }[] };
  embedContentConfig?: {
    taskType?: string | undefined;
    title?: string | undefined;
    outputDimensionality?: number | undefined;
    autoTruncate?: boolean | undefined;
  };
}

/** The body of InvokeModel for Amazon's Titan text embeddings, from the user guide of Bedrock. The first generation has no `dimensions`. */
export interface TitanEmbedRequestParams {
  inputText: string;
  dimensions?: number | undefined;
}

/** A request to Voyage's embeddings API, from its SDK (voyageai 0.4, EmbedRequest). */
export interface VoyageEmbedRequestParams {
  model: string;
  input: string[];
  input_type?: 'query' | 'document' | undefined;
  output_dimension?: number | undefined;
  truncation?: boolean | undefined;
}

/** A request to Jina's embeddings API (https://api.jina.ai/redoc). */
export interface JinaEmbedRequestParams {
  model: string;
  input: string[];
  task?:
    | 'retrieval.query'
    | 'retrieval.passage'
    | 'text-matching'
    | 'classification'
    | 'separation'
    | undefined;
  dimensions?: number | undefined;
  truncate?: boolean | undefined;
  embedding_type?: 'base64' | undefined;
}

/** A request to NVIDIA's embeddings API (https://docs.nvidia.com/nim/nemo-retriever/text-embedding/latest/reference.html). */
export interface NimEmbedRequestParams {
  model: string;
  input: string[];
  input_type: 'query' | 'passage';
  dimensions?: number | undefined;
  truncate?: 'NONE' | 'END' | undefined;
  encoding_format?: 'float' | 'base64' | undefined;
  user?: string | undefined;
}
