import type { EmbedInput, EmbedRequest, EmbedTask } from '@model-gateway/canonical';
import { invalidRequest, type ParsedOperation } from '@model-gateway/ingress';
import { omitNullish } from '@model-gateway/json';
import { type EmbeddingsRequest, embeddingsRequest } from '@model-gateway/wire';
import type { EmbeddingsAnswerOptions } from './render.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<EmbeddingsAnswerOptions> {
  const { success, data, error } = embeddingsRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
  const inputs = inputsOf(data.input);
  return {
    type: 'embed',
    model: data.model,
    stream: false,
    inputs: inputs.length,
    canonical: () => parseEmbed(data, inputs),
    rendering: { model: data.model, encoding: data.encoding_format },
  };
}

/** Returns the inputs. A flat list of numbers is the tokens of one text. */
function inputsOf(input: EmbeddingsRequest['input']): EmbedInput[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbedInput[]);
}

function parseEmbed(body: EmbeddingsRequest, inputs: EmbedInput[]): EmbedRequest {
  const { model: _, input: __, dimensions, encoding_format: encoding, user, ...others } = body;
  const { input_type: type, task, truncate } = others;
  return omitNullish({
    inputs,
    dimensions,
    encoding,
    task: tasks.get((type ?? task ?? '').toLowerCase()),
    truncate: typeof truncate === 'string' ? truncations.get(truncate.toUpperCase()) : truncate,
    user,
    extensions: Object.keys(others).length > 0 ? { embeddings: others } : undefined,
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
