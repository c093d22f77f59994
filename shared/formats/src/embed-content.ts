import { isDeepStrictEqual } from 'node:util';
import {
  arePacked,
  type EmbedAnswer,
  type EmbedRequest,
  type EmbedTask,
  noUsage,
  renamePath,
  type Usage,
  type Vector,
  vectorJson,
} from '@model-gateway/canonical';
import { type Edit, omitNullish, parseExact, spliceTopLevel, topLevelSpans } from '@model-gateway/json';
import { z } from 'zod';
import { type FormatEndpoint, RenderedPieces, type ResultRenderer } from './client/endpoint.ts';
import { unsupportedValue } from './client/invalid.ts';
import { generateContentEnum, generateContentTaskTypes } from './generate-content/enums.ts';
import {
  check,
  fieldsInBothCases,
  generateContentFormat,
  invalid,
  pathOf,
  readTarget,
} from './generate-content/format.ts';
import { camelCase, camelCased, repeated, textAsContent, textAsPart } from './generate-content/proto-json.ts';
import { decodeFailure } from './upstream/decode-google-failure.ts';
import type { CanonicalInput, UpstreamFields, UpstreamRequest, VerbatimInput } from './upstream/dialect.ts';
import { embeddingDialect, inputTexts, type RequestedVectors, readVectors } from './upstream/embeddings.ts';
import { resourceName, resourcePath } from './upstream/google-resource.ts';
import { JsonBody, withoutDropped } from './upstream/request-body.ts';
import type { ReadResult } from './upstream/whole-body.ts';
import { type Closed, generateContentModelName } from './values/schemas.ts';

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
interface BatchEmbedRequestParams {
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

/** Google's name of each task. */
export const taskTypes: Record<EmbedTask, string> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  similarity: 'SEMANTIC_SIMILARITY',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  'question-answering': 'QUESTION_ANSWERING',
  'fact-verification': 'FACT_VERIFICATION',
  'code-query': 'CODE_RETRIEVAL_QUERY',
};

/** @throws GatewayError of kind `invalid-request` */
const parseEmbed: FormatEndpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const request = check(embedContentRequest, camelCased(body));
  checkModel(request, model, 'model');
  return {
    type: 'embed',
    model,
    stream: false,
    canonical: () => ({ inputs: [textOf(request, 'content')], ...parseSettings(request, '') }),
    rendering: undefined,
  };
};

/** @throws GatewayError if the body names a different model than the path */
function checkModel({ model }: EmbedContentRequest, inPath: string, param: string): void {
  if (model && nameOf(model) !== nameOf(inPath))
    throw invalid(param, `'${model.slice(0, 100)}' is not the model in the path`);
}

function nameOf(model: string): string {
  return model.replace(/^models\//, '');
}

/**
 * Joins the text parts of a content, one per line.
 * @throws GatewayError for other parts, which only Google embeds
 */
function textOf({ content }: EmbedContentRequest, param: string): string {
  const texts = content.parts.map(({ text, ...other }, i) => {
    if (typeof text === 'string' && Object.keys(omitNullish(other)).length === 0) return text;
    throw unsupportedValue(`${param}.parts[${i}]`, "this model's provider embeds only text");
  });
  return texts.join('\n');
}

/** Parses the settings of a request. `path` is the request's position, followed by a dot. */
function parseSettings(
  { model: _, content: __, taskType, title, outputDimensionality, ...others }: EmbedContentRequest,
  path: string,
): Omit<EmbedRequest, 'inputs'> {
  const extensions = omitNullish(others);
  return omitNullish({
    task: taskOf(taskType, `${path}taskType`),
    title,
    dimensions: outputDimensionality,
    extensions: Object.keys(extensions).length > 0 ? { 'embed-content': extensions } : undefined,
  });
}

function taskOf(type: string | null | undefined, param: string): EmbedTask | undefined {
  if (!type || type === 'TASK_TYPE_UNSPECIFIED') return undefined;
  const task = tasks.get(type);
  if (!task) throw invalid(param, `expected one of ${[...tasks.keys()].join(', ')}`);
  return task;
}

const tasks = new Map(Object.entries(taskTypes).map(([task, type]) => [type, task as EmbedTask]));

/** @throws GatewayError of kind `invalid-request` */
const parseBatchEmbed: FormatEndpoint['parse'] = (body, _headers, _text, url) => {
  const { model } = readTarget(url);
  const { requests } = check(batchEmbedRequest, camelCased(body));
  for (const [i, request] of requests.entries()) checkModel(request, model, `requests[${i}].model`);
  return {
    type: 'embed',
    model,
    stream: false,
    inputs: requests.length,
    canonical: () => canonical(requests),
    rendering: undefined,
  };
};

function canonical(requests: readonly EmbedContentRequest[]): EmbedRequest {
  return {
    inputs: requests.map((request, i) => textOf(request, `requests[${i}].content`)),
    ...sharedSettings(requests),
  };
}

/** Returns the settings of all requests. @throws GatewayError if they differ, which only Google supports */
function sharedSettings(requests: readonly EmbedContentRequest[]): Omit<EmbedRequest, 'inputs'> {
  const [first = {}, ...others] = requests.map((request, i) => parseSettings(request, `requests[${i}].`));
  const at = others.findIndex(settings => !isDeepStrictEqual(settings, first));
  if (at < 0) return first;
  throw invalid(
    `requests[${at + 1}]`,
    "taskType, title and outputDimensionality must be the same as in requests[0] for this model's provider",
  );
}

/** Renders the embedding of one content. */
const contentRenderer: ResultRenderer<EmbedAnswer> = {
  type: 'result',
  result: ({ vectors: [vector = []] }, usage): EmbedContentAnswer => ({
    embedding: { values: vectorJson(vector) },
    ...renderUsage(usage),
  }),
};

/** Renders the usage if it is known. It is optional in this format. */
function renderUsage(usage: Usage | null) {
  return usage && usage.input > 0 ? { usageMetadata: { promptTokenCount: usage.input } } : {};
}

/** Renders the embeddings of several contents. */
const batchRenderer: ResultRenderer<EmbedAnswer> = {
  type: 'result',
  result({ vectors }, usage): BatchEmbedAnswer | RenderedPieces {
    const item = (vector: Vector) => ({ values: vectorJson(vector) });
    return arePacked(vectors)
      ? new RenderedPieces({ embeddings: vectors.values().map(item), ...renderUsage(usage) })
      : { embeddings: vectors.map(item), ...renderUsage(usage) };
  },
};

/** The embedding of one content. */
export const embedContent: FormatEndpoint = {
  ...generateContentFormat,
  ...pathOf('embedContent'),
  format: 'embed-content',
  fields: fieldsInBothCases(embedContentRequest),
  parse: parseEmbed,
  render: () => contentRenderer,
  fieldNames: {
    'inputs[0]': 'content',
    inputs: 'content',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};

/** The embeddings of several contents. */
export const batchEmbedContents: FormatEndpoint = {
  ...generateContentFormat,
  ...pathOf('batchEmbedContents'),
  format: 'embed-content',
  fields: fieldsInBothCases(batchEmbedRequest),
  parse: parseBatchEmbed,
  render: () => batchRenderer,
  fieldNames: {
    inputs: 'requests',
    dimensions: 'outputDimensionality',
    task: 'taskType',
  },
};

/** The canonical fields of the settings, which each request of a batch repeats. */
const settings: UpstreamFields = { outputDimensionality: 'dimensions', taskType: 'task', title: 'title' };

/** Returns the canonical path of a place in a batch, whose requests hold one input each. */
function pathIn(param: string): string | undefined {
  const [, index, field] = /^requests(\[\d+\]|$)(?:\.(\w+))?/.exec(param) ?? [];
  if (index === undefined) return undefined;
  return field === undefined || field === 'content' ? `inputs${index}` : renamePath(field, settings);
}

/** Google's Gemini `embedContent` and `batchEmbedContents` API. */
export const embedContentDialect = embeddingDialect<Input>({
  format: 'embed-content',
  bodies: ['verbatim', 'canonical'],
  encode,
  decodeFailure,
  pathOf: pathIn,
  read: (body, { count = 1, ...form }) => readEmbeddings(body, { ...form, count }),
});

/** The words of each task in a text, from the guide https://ai.google.dev/gemini-api/docs/embeddings#task-types-embeddings-2. */
const instructions: Record<Exclude<EmbedTask, 'document'>, string> = {
  query: 'search result',
  similarity: 'sentence similarity',
  classification: 'classification',
  clustering: 'clustering',
  'question-answering': 'question answering',
  'fact-verification': 'fact checking',
  'code-query': 'code retrieval',
};

/** Models for which the same guide says that the field `task_type` cannot be used. */
const taskInText = /(?:^|\/)gemini-embedding-2(?!\d)/;

/** The task of a request as its model takes it. */
interface EncodedTask {
  fields: { taskType?: string | undefined; title?: string | undefined };
  /** Returns a text as it is sent. */
  textOf(text: string): string;
}

/** Writes the task and the title of a request: in fields, or in the texts of the models that have no such fields. */
export function encodeTask(
  model: string,
  request: Pick<EmbedRequest, 'task' | 'title'>,
  drop: readonly string[],
): EncodedTask {
  const dropped = drop.map(camelCase);
  const task = dropped.includes('taskType') ? undefined : request.task;
  const title = dropped.includes('title') ? undefined : request.title;
  if (!taskInText.test(model))
    return { fields: { taskType: task && taskTypes[task], title }, textOf: text => text };
  return { fields: {}, textOf: text => instructed(text, task, title) };
}

function instructed(text: string, task: EmbedTask | undefined, title: string | undefined): string {
  if (task !== undefined && task !== 'document') return `task: ${instructions[task]} | query: ${text}`;
  return task === undefined && title === undefined ? text : `title: ${title ?? 'none'} | text: ${text}`;
}

type Input = VerbatimInput | CanonicalInput<EmbedRequest>;
type Fields = Record<string, unknown>;

/** Writes a request: the client's text if it has this format, otherwise a translation into a batch. */
function encode(input: Input): UpstreamRequest {
  const path = resourcePath(input.model);
  if (input.body === 'canonical') return { path: `${path}:batchEmbedContents`, body: translate(input) };
  return input.envelope.inputs === undefined
    ? { path: `${path}:embedContent`, body: spliceContent(input) }
    : { path: `${path}:batchEmbedContents`, body: spliceBatch(input) };
}

function spliceContent({ text, model, drop }: VerbatimInput): Buffer {
  const renamed: Edit = current => (current === undefined ? null : JSON.stringify(resourceName(model)));
  return spliceTopLevel(text, new Map([...removals(text, drop), ['model', renamed]]));
}

/** Sets the model in each request of a batch. The batch stays byte-identical if nothing changes. */
function spliceBatch(input: VerbatimInput): Buffer {
  const edit: Edit = (current = '[]') => {
    const requests = parseExact(current) as Fields[];
    const edited = requests.map(request => editRequest(request, input));
    return edited.every((request, i) => request === requests[i]) ? current : JSON.stringify(edited);
  };
  return spliceTopLevel(input.text, new Map([['requests', edit]]));
}

function editRequest(request: Fields, { model, drop }: Input): Fields {
  const name = resourceName(model);
  const fields = Object.entries(request).filter(([field]) => !isDropped(field, drop));
  const same = request.model === name && fields.length === Object.keys(request).length;
  return same ? request : { ...Object.fromEntries(fields), model: name };
}

function removals(text: Buffer, drop: readonly string[]): [string, Edit][] {
  const fields = topLevelSpans(text.toString('latin1')).map(({ key }) => key);
  return fields.filter(field => isDropped(field, drop)).map(field => [field, null]);
}

/** True if a field is dropped, in camel case or snake case. */
function isDropped(field: string, drop: readonly string[]): boolean {
  return drop.some(name => camelCase(name) === camelCase(field));
}

function translate({ model, drop, request }: CanonicalInput<EmbedRequest>): JsonBody {
  const { inputs, dimensions, extensions } = request;
  const { fields: task, textOf } = encodeTask(model, request, drop);
  const settings: Settings = { ...task, outputDimensionality: dimensions };
  const fields = { ...extensions?.['embed-content'], ...settings };
  const dropped = Object.keys(fields).filter(field => isDropped(field, drop));
  const kept = withoutDropped(fields, dropped);
  const requests = inputTexts(inputs).map(
    (text): EmbedContentRequestParams => ({
      model: resourceName(model),
      content: { parts: [{ text: textOf(text) }] },
      ...kept,
    }),
  );
  const body: BatchEmbedRequestParams = { requests };
  return new JsonBody(body);
}

type Settings = Omit<EmbedContentRequestParams, 'model' | 'content'>;

/** The expected shape of a response. */
interface Body {
  embedding?: ReadVector;
  embeddings?: ReadVector[];
  usageMetadata?: { promptTokenCount?: unknown };
}
type ReadVector = { values?: unknown } | null;

/** Reads the vectors of a single or batch response. */
export function readEmbeddings(body: unknown, wanted: RequestedVectors): ReadResult | undefined {
  const { embedding, embeddings = [embedding ?? null], usageMetadata } = (body ?? {}) as Body;
  if (!Array.isArray(embeddings)) return undefined;
  const vectors = readVectors(
    embeddings.map(each => each?.values),
    wanted,
  );
  if (!vectors) return undefined;
  const input = usageMetadata?.promptTokenCount;
  return {
    result: { type: 'embeddings', model: '', vectors },
    usage: typeof input === 'number' ? { ...noUsage, input, raw: usageMetadata } : null,
  };
}
