import { GatewayError, type ModerateAnswer } from '@model-gateway/canonical';
import { memberText } from '@model-gateway/json';
import { z } from 'zod';
import { type FormatEndpoint, knownFields, type ResultRenderer } from './client/endpoint.ts';
import { checked } from './client/invalid.ts';
import type { ParsedOperation } from './client/parsed-request.ts';
import { renderChatError, renderChatErrorEvent } from './client/render-errors.ts';
import { readUsageOf } from './upstream/any-usage.ts';
import { decodeFailure } from './upstream/decode-openai-failure.ts';
import type { Dialect, UpstreamRequest, VerbatimInput } from './upstream/dialect.ts';
import { nativeBody } from './upstream/request-body.ts';
import { decodeResult, type ReadBody, type ReadResult, ResultDecoder } from './upstream/whole-body.ts';
import { modelName } from './values/schemas.ts';

/*
 * Moderations as in OpenAI's published API description (CreateModerationRequest and -Response), which Mistral's API has, too
 * (https://docs.mistral.ai/api/endpoint/classifiers).
 */

/** The model of a request that names none, as in the published description. */
export const defaultModerationModel = 'omni-moderation-latest';

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
]);
const texts = z.array(z.string()).min(1);
const parts = z.array(part).min(1);

/** Every form of an input: a text, several texts, or texts and images that are one input. */
export const moderationsInput = z.union([z.string(), texts, parts]);

/** Validates an input by the form that its first item suggests, so that errors refer to that form. */
const input = z.unknown().superRefine((value, context) => {
  const { error } = inputForm(value).safeParse(value);
  for (const issue of error?.issues ?? []) context.addIssue(issue as z.core.$ZodSuperRefineIssue);
}) as unknown as z.ZodType<z.infer<typeof moderationsInput>>;

function inputForm(value: unknown): z.ZodType {
  if (!Array.isArray(value)) return z.string();
  return typeof value[0] === 'object' ? parts : texts;
}

/** The body of `POST /v1/moderations`. `null` means not set. Default: model omni-moderation-latest. */
export const moderationsRequest = z.looseObject({
  model: modelName.nullish().describe(`Default: ${defaultModerationModel}.`),
  input: input.describe('A text or several, or a list of texts and images that are classified together.'),
});

/** A model's verdict on one input. */
export interface ModerationResult {
  /** True if any category is. */
  flagged: boolean;
  /** Null for a category that the model does not know, as `illicit` for the text moderations of OpenAI. */
  categories: Record<string, boolean | null>;
  /** From 0 to 1, by category. */
  category_scores: Record<string, number | null>;
}

export interface ModerationsAnswer {
  id: string;
  model: string;
  results: ModerationResult[];
}

/** Writes the client's text: every upstream that moderates speaks this format. */
export function encode(input: VerbatimInput): UpstreamRequest {
  return { path: '/moderations', body: nativeBody(input) };
}

/** A value of each category; null for one that the model does not know. */
const byCategory = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value.nullable()).nullish();

/** The expected shape of a response. Mistral's results have no `flagged`, and some servers' no scores. */
const moderation = z.looseObject({
  id: z.string().nullish().catch(null),
  model: z.string().nullish().catch(null),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().nullish(),
      categories: byCategory(z.boolean()),
      category_scores: byCategory(z.number()),
    }),
  ),
});

/**
 * Reads a response; undefined if it is none, or has not one result for each input. A result that does not say whether it is
 * flagged is, if any of its categories is: clients would read an absent field as false. `otherwise`: the names of a response that has none.
 */
function readModeration(
  body: unknown,
  count: number,
  otherwise: { id: string; model: string },
): ReadResult | undefined {
  const { success, data } = moderation.safeParse(body);
  if (!success || data.results.length !== count) return undefined;
  const { results } = data;
  const id = data.id ?? otherwise.id;
  const model = data.model ?? otherwise.model;
  if (results.some(({ flagged, categories }) => flagged == null && !categories)) return undefined;
  return {
    result: {
      type: 'moderation',
      id,
      model,
      results: results.map(({ flagged, categories, category_scores: scores }) => ({
        flagged: flagged ?? Object.values(categories ?? {}).includes(true),
        categories: categories ?? {},
        scores: scores ?? {},
      })),
    },
    usage: readUsageOf(data),
    asAsked: results.every(result =>
      [result.flagged, result.categories, result.category_scores].every(isGiven),
    ),
    ...((data.id == null || data.model == null) && {
      edits: new Map([
        ['id', JSON.stringify(id)],
        ['model', JSON.stringify(model)],
      ]),
    }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The moderations API of OpenAI, Mistral and compatible providers. */
export const moderationsDialect: Dialect<VerbatimInput> = {
  format: 'moderations',
  bodies: ['verbatim'],
  choices: 'one',
  encode,
  decodeStream: input => decoderOf(input),
  decodeWhole: input => decoderOf(input),
  decodeBody: (body, input) => decodeResult(body, readerOf(input)),
  decodeFailure,
};

function decoderOf(input: VerbatimInput): ResultDecoder {
  return new ResultDecoder(true, readerOf(input));
}

function readerOf(input: VerbatimInput): ReadBody {
  const { requestId, model } = input.envelope;
  const otherwise = { id: requestId.replace(/^(req_)?/, 'modr-'), model };
  return body => readModeration(body, countOf(input), otherwise);
}

/** Returns the number of inputs, each of which has a result: texts and images of one list are one input. */
function countOf({ text }: VerbatimInput): number {
  const input: unknown = JSON.parse(memberText(text, 'input') ?? '""');
  return Array.isArray(input) && typeof input[0] === 'string' ? input.length : 1;
}

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<string> {
  const data = checked(moderationsRequest, body);
  const model = data.model ?? defaultModerationModel;
  return {
    type: 'moderate',
    model,
    stream: false,
    // Every upstream that moderates speaks this format.
    canonical() {
      const message = `The model '${model}' does not support this request: its upstream does not have OpenAI's moderations API.`;
      throw new GatewayError('invalid-request', message, { param: 'model', code: 'unsupported_model' });
    },
    rendering: model,
  };
}

/** Renders an answer whose own form lacks a field that clients read; any other is passed on. */
function moderationsRenderer(asked: string): ResultRenderer<ModerateAnswer> {
  return {
    type: 'result',
    result: ({ id, model, results }, _usage, { requestId }): ModerationsAnswer => ({
      id: id || requestId.replace(/^req_/, 'modr-'),
      model: model || asked,
      results: results.map(({ flagged, categories, scores }) => ({
        ...{ flagged, categories, category_scores: scores },
      })),
    }),
  };
}

/** Classifies texts and images by policies. */
export const moderations: FormatEndpoint<string> = {
  method: 'POST',
  path: '/v1/moderations',
  format: 'moderations',
  fields: knownFields(moderationsRequest),
  parse,
  render: moderationsRenderer,
  renderError: renderChatError,
  renderErrorEvent: renderChatErrorEvent,
  ping: '',
};
