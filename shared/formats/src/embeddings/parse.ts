import { type EmbedInput, type EmbedRequest, type EmbedTask, GatewayError } from '@model-gateway/canonical';
import { omitNullish } from '@model-gateway/json';
import { invalidRequest } from '../client/invalid.ts';
import type { ParsedOperation } from '../client/parsed-request.ts';
import type { EmbeddingsAnswerOptions } from './render.ts';
import { type EmbeddingsRequest, embeddingsRequest, vectorForm } from './types.ts';

/** @throws GatewayError of kind `invalid-request` */
export function parse(body: Record<string, unknown>): ParsedOperation<EmbeddingsAnswerOptions> {
  const { success, data, error } = embeddingsRequest.safeParse(body);
  if (!success) throw invalidRequest(error, body);
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
    throw unsupported('encoding_format', `the answer of '${encoding}' is not JSON`);
  for (const field of ['embedding_type', 'embedding_types'] as const)
    if (Array.isArray(body[field]) && body[field].length > 1)
      throw unsupported(field, 'a vector has one type of numbers');
}

function unsupported(param: string, why: string): GatewayError {
  const message = `Unsupported value for '${param}': ${why}.`;
  return new GatewayError('invalid-request', message, { param, code: 'unsupported_value' });
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
