import { z } from 'zod';
import { anyObject, type Closed, isJsonObject } from '../values/json-object.ts';
import { modelName } from '../values/model-name.ts';
import { wholeNumber } from '../values/whole-number.ts';

/*
 * Embeddings as in OpenAI's published API description (CreateEmbeddingRequest and -Response). The fields for
 * the purpose of the vectors and for the type of their numbers are not OpenAI's: compatible servers accept them,
 * and objects as inputs (https://api.jina.ai/redoc).
 */

const maxInputs = 2048;
const text = z.string().min(1);
const tokens = z.array(wholeNumber({ min: 0 })).min(1);
const someTypes = '`float`, `int8`, `uint8`, `binary`, `ubinary`';
const numberType = z
  .union([z.string(), z.array(z.string())], { error: 'a string or an array of strings' })
  .nullish();
const several = <Input extends z.ZodType>(input: Input) => z.array(input).min(1).max(maxInputs);
/** An input of several kinds of content, as Jina's models and others take it: `{ image: "https://…" }`. */
const content = anyObject('an object');
const texts = several(text);
const contents = several(z.union([text, content], { error: 'a string or an object' }));

/** Every form of an input: a text or several, the token ids of one or several, or objects. */
export const embeddingsInput = z.union([text, texts, tokens, several(tokens), content, contents]);

type Input = string | Item[] | number[] | number[][] | Record<string, unknown>;
type Item = string | Record<string, unknown>;

/** Validates an input by the form that its first item suggests, so that errors refer to that form. */
const inputs = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<Input>;

function inputForm(value: unknown): z.ZodType {
  if (!Array.isArray(value)) return isJsonObject(value) ? content : text;
  if (typeof value[0] === 'number') return tokens;
  if (Array.isArray(value[0])) return several(tokens);
  return value.some(isJsonObject) ? contents : texts;
}

/** The body of `POST /v1/embeddings`. `null` means not set. Default: encoding_format float. */
export const embeddingsRequest = z.looseObject({
  model: modelName,
  input: inputs.describe(
    'A text or several, the token ids of one or several, or objects such as `{"image": …}`, which only some models take.',
  ),
  dimensions: wholeNumber({ min: 1 }).nullish().describe('Numbers per vector.'),
  encoding_format: z
    .string()
    .nullish()
    .describe('`float` for numbers, `base64` for base64 of them, little-endian; or a type of numbers.'),
  output_dtype: z
    .string()
    .nullish()
    .describe(`Type of the numbers in the terms of Voyage and Mistral: ${someTypes}.`),
  embedding_type: numberType.describe("The same in Jina's terms."),
  embedding_types: numberType.describe("The same in Cohere's terms."),
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

/** The form of the vectors that a request asks for. */
export interface VectorForm {
  encoding?: 'float' | 'base64';
  /** Type of the numbers, such as `int8`; 32-bit floats if absent. */
  numbers?: string;
}

/** The fields that may say the type of the numbers, the more special ones first. `embed_dtype` is vLLM's. */
export const vectorFields = [
  'output_dtype',
  'embedding_type',
  'embedding_types',
  'embed_dtype',
  'encoding_format',
] as const;

/** Returns the form of the vectors that the fields of a request ask for. */
export function vectorForm(fields: { [Name in (typeof vectorFields)[number]]?: unknown }): VectorForm {
  const words = vectorFields.map(name => [fields[name] ?? []].flat().map(String).join().toLowerCase());
  const numbers = words.find(word => !floats.has(word));
  const encoding = words.includes('base64') ? 'base64' : 'float';
  return { ...(words.some(word => word !== '') && { encoding }), ...(numbers && { numbers }) };
}

const floats = new Set(['', 'float', 'float32', 'base64']);

/** A request as the gateway writes it; its input is a list of texts, of token ids and of objects. */
export type EmbeddingsRequestParams = Omit<Closed<EmbeddingsRequest>, 'input'> & {
  input: (string | number[] | Record<string, unknown>)[];
};

/** The body of Cohere's `POST /v2/embed`, as in the types of its SDK (`V2EmbedRequest`). */
export interface CohereEmbedRequestParams {
  model: string;
  texts: string[];
  input_type: 'search_query' | 'search_document' | 'classification' | 'clustering';
  embedding_types: string[];
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
  output_dtype?: string | undefined;
  encoding_format?: 'base64' | undefined;
  truncation?: boolean | undefined;
}

/** A request to Jina's embeddings API (https://api.jina.ai/redoc). */
export interface JinaEmbedRequestParams {
  model: string;
  input: (string | Record<string, unknown>)[];
  task?:
    | 'retrieval.query'
    | 'retrieval.passage'
    | 'text-matching'
    | 'classification'
    | 'separation'
    | undefined;
  dimensions?: number | undefined;
  truncate?: boolean | undefined;
  embedding_type?: string | undefined;
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
