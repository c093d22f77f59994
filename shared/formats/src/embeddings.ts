import {
  arePacked,
  type EmbedAnswer,
  type EmbedInput,
  type EmbedRequest,
  type EmbedTask,
  type Vector,
  vectorBase64,
  vectorJson,
} from '@model-gateway/canonical';
import { omitNullish, topLevelSpans } from '@model-gateway/json';
import { z } from 'zod';
import { type FormatEndpoint, knownFields, RenderedPieces, type ResultRenderer } from './client/endpoint.ts';
import { checked, unsupportedValue } from './client/invalid.ts';
import type { ParsedOperation } from './client/parsed-request.ts';
import { renderChatError, renderChatErrorEvent } from './client/render-errors.ts';
import { readUsageOf } from './upstream/any-usage.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { CanonicalInput, UpstreamRequest, VerbatimInput } from './upstream/dialect.ts';
import {
  embeddingDialect,
  type RequestedVectors,
  readVectors,
  type VectorForm,
} from './upstream/embeddings.ts';
import { objectIn } from './upstream/read-json.ts';
import { nativeBody, writtenBody } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/whole-body.ts';
import { anyObject, type Closed, isJsonObject, modelName, wholeNumber } from './values/schemas.ts';

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

type InputBody = string | Item[] | number[] | number[][] | Record<string, unknown>;
type Item = string | Record<string, unknown>;

/** Validates an input by the form that its first item suggests, so that errors refer to that form. */
const inputs = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<InputBody>;

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

/** The fields that may say the type of the numbers, the more special ones first. `embed_dtype` is vLLM's. */
const vectorFields = [
  'output_dtype',
  'embedding_type',
  'embedding_types',
  'embed_dtype',
  'encoding_format',
] as const;

/** Returns the form of the vectors that the fields of a request ask for. */
function vectorForm(fields: { [Name in (typeof vectorFields)[number]]?: unknown }): VectorForm {
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

export interface EmbeddingsAnswer {
  object: 'list';
  model: string;
  data: { object: 'embedding'; index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number; total_tokens: number };
}

/** Embeddings of texts. */
export const embeddings: FormatEndpoint<EmbeddingsAnswerOptions> = {
  method: 'POST',
  path: '/v1/embeddings',
  format: 'embeddings',
  fields: knownFields(embeddingsRequest),
  parse,
  render: embeddingsRenderer,
  fieldNames: { inputs: 'input', encoding: 'encoding_format', numbers: 'output_dtype' },
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<EmbeddingsAnswerOptions> {
  const data = checked(embeddingsRequest, body);
  checkForm(data);
  const inputs = inputsOf(data.input);
  return {
    type: 'embed',
    model: data.model,
    stream: false,
    inputs: inputs.length,
    canonical: () => parseEmbed(data, inputs),
    rendering: { model: data.model, ...vectorForm(data) },
  };
}

/** Returns the inputs. A flat list of numbers is the tokens of one text. */
function inputsOf(input: EmbeddingsRequest['input']): EmbedInput[] {
  if (!Array.isArray(input)) return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbedInput[]);
}

/** @throws GatewayError for vectors that have no place in the format: bytes in place of JSON, as vLLM makes them, or several of each input */
function checkForm(body: EmbeddingsRequest): void {
  const { encoding_format: encoding } = body;
  if (encoding?.startsWith('bytes'))
    throw unsupportedValue('encoding_format', `the answer of '${encoding}' is not JSON`);
  for (const field of ['embedding_type', 'embedding_types'] as const)
    if (Array.isArray(body[field]) && body[field].length > 1)
      throw unsupportedValue(field, 'a vector has one type of numbers');
}

function parseEmbed(body: EmbeddingsRequest, inputs: EmbedInput[]): EmbedRequest {
  const { model: _, input: __, dimensions, encoding_format: format, user, ...more } = body;
  const { encoding, numbers } = vectorForm(body);
  // A type of numbers goes on in the field that the client chose.
  const others = { ...more, ...(numbers !== undefined && { encoding_format: format }) };
  const { input_type: type, task, truncate } = more;
  return omitNullish({
    inputs,
    dimensions,
    encoding,
    numbers,
    task: tasks.get((type ?? task ?? '').toLowerCase()),
    truncate: typeof truncate === 'string' ? truncations.get(truncate.toUpperCase()) : truncate,
    user,
    extensions: Object.keys(others).length > 0 ? { embeddings: omitNullish(others) } : undefined,
  });
}

/** Truncation by the client's value. The upstream chooses which end is cut. */
const truncations = new Map([
  ['NONE', false],
  ['START', true],
  ['END', true],
]);

/** The tasks by the names that compatible servers use. */
const tasks = new Map<string, EmbedTask>([
  ['query', 'query'],
  ['search_query', 'query'],
  ['retrieval.query', 'query'],
  ['document', 'document'],
  ['passage', 'document'],
  ['search_document', 'document'],
  ['retrieval.passage', 'document'],
  ['similarity', 'similarity'],
  ['text-matching', 'similarity'],
  ['classification', 'classification'],
  ['clustering', 'clustering'],
  ['separation', 'clustering'],
  ['code.query', 'code-query'],
]);

/** The fields of a request that affect how its response is rendered. */
interface EmbeddingsAnswerOptions extends VectorForm {
  model: string;
}

function embeddingsRenderer({
  model,
  encoding,
  numbers,
}: EmbeddingsAnswerOptions): ResultRenderer<EmbedAnswer> {
  const writeFloats = encoding === 'base64' ? vectorBase64 : vectorJson;
  const write = numbers === undefined ? writeFloats : asIs;
  return {
    type: 'result',
    result({ vectors, ...answer }, usage): EmbeddingsAnswer | RenderedPieces {
      const tokens = usage?.input ?? 0;
      const item = (vector: Vector, index: number): EmbeddingsAnswer['data'][number] => ({
        object: 'embedding',
        index,
        embedding: write(vector),
      });
      const body = { object: 'list', model: answer.model || model } as const;
      const usageField = { usage: { prompt_tokens: tokens, total_tokens: tokens } };
      return arePacked(vectors)
        ? new RenderedPieces({ ...body, data: vectors.values().map(item), ...usageField })
        : { ...body, data: vectors.map(item), ...usageField };
    },
  };
}

/** Returns a vector of other numbers than 32-bit floats as the upstream sent it. */
function asIs(vector: Vector): number[] | string {
  return typeof vector === 'string' ? vector : vectorJson(vector);
}

type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** The embeddings API of OpenAI and compatible providers. */
export const embeddingsDialect = embeddingDialect<Input>({
  format: 'embeddings',
  bodies: ['verbatim', 'canonical'],
  numbers: 'any',
  encode,
  decodeFailure,
  fields: { input: 'inputs', dimensions: 'dimensions', encoding_format: 'encoding', user: 'user' },
  formIn,
  read: readEmbeddings,
});

export function encode(input: Input): UpstreamRequest {
  const path = '/embeddings';
  if (input.body === 'verbatim') return { path, body: nativeBody(input) };
  const { request, model } = input;
  return {
    path,
    body: writtenBody(input, { ...request.extensions?.embeddings, ...translate(model, request) }),
  };
}

/**
 * Writes a request without the task and title: OpenAI's vectors do not depend on them, and unknown fields are
 * refused.
 */
function translate(model: string, request: EmbedRequest): EmbeddingsRequestParams {
  const { inputs, dimensions, encoding, numbers, user } = request;
  return {
    ...{ model, input: inputs, dimensions, user },
    // A type of numbers is in the client's own field.
    ...(numbers === undefined && { encoding_format: encoding }),
  };
}

const formFields = new Set<string>(vectorFields);

/** Returns the form that a client's request asks for. */
export function formIn(request: Buffer): VectorForm {
  const text = request.toString('utf8');
  const given: Record<string, unknown> = {};
  for (const { key, valueStart, valueEnd } of topLevelSpans(text))
    if (formFields.has(key)) given[key] = JSON.parse(text.slice(valueStart, valueEnd));
  return vectorForm(given);
}

/** Reads the vectors of a response; undefined if one is missing, misplaced or invalid. */
export function readEmbeddings(body: unknown, wanted: RequestedVectors): ReadResult | undefined {
  const fields = objectIn(body) ?? {};
  const { model, data } = fields;
  if (!Array.isArray(data)) return undefined;
  const items = data.map(objectIn);
  const embeddings = inOrder(
    items.map((item, at) => item?.index ?? at),
    items.map(item => item?.embedding),
  );
  const vectors = embeddings && readVectors(embeddings, wanted);
  if (!vectors) return undefined;
  const isPlain = (item: Record<string, unknown> | undefined, at: number) =>
    item?.object === 'embedding' && item.index === at && isAsked(item.embedding, wanted);
  return {
    result: { type: 'embeddings', model: typeof model === 'string' ? model : '', vectors },
    usage: readUsageOf(fields),
    asAsked: hasAllFields(fields) && items.every(isPlain),
  };
}

/**
 * Returns the values in the order of their inputs; undefined if their indexes have none. Indexes may begin at any number. If all are
 * the same, or count up from the first again and again, as those of a server that splits requests, the list is in order.
 */
function inOrder(indexes: readonly unknown[], values: readonly unknown[]): readonly unknown[] | undefined {
  const numbers = indexes.map(numberOf);
  const [first = 0] = numbers;
  if (numbers.every((index, at) => index === (numbers[at - 1] ?? Number.NaN) + 1 || index === first))
    return values;
  const least = numbers.reduce((least, index) => Math.min(least, index), first);
  const byIndex = new Map(numbers.map((index, at) => [index - least, values[at]]));
  const all = values.every((_, at) => byIndex.has(at));
  return all ? values.map((_, at) => byIndex.get(at)) : undefined;
}

/** Returns an index, which some servers send as text; NaN for any other value. */
function numberOf(index: unknown): number {
  const number = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return Number.isSafeInteger(number) ? (number as number) : Number.NaN;
}

function isAsked(embedding: unknown, { encoding, numbers }: VectorForm): boolean {
  return numbers !== undefined || (typeof embedding === 'string') === (encoding === 'base64');
}

/** True if the response has every field that clients read beside its vectors. */
function hasAllFields({ object, model, usage }: Record<string, unknown>): boolean {
  const { prompt_tokens: prompt, total_tokens: total } = objectIn(usage) ?? {};
  const isCounted = Number.isFinite(prompt) && Number.isFinite(total);
  return object === 'list' && typeof model === 'string' && isCounted;
}
