import {
  type EmbedInput,
  type EmbedRequest,
  renamePath,
  type Vector,
  vectorBase64,
  vectorFloats,
  vectorJson,
} from '@model-gateway/canonical';
import type { CanonicalInput, Dialect, UpstreamFields, VerbatimInput } from './dialect.ts';
import { unsupported } from './request-body.ts';
import { decodeResult, type ReadBody, type ReadResult, ResultDecoder } from './whole-body.ts';

/** Input of a dialect for embeddings. */
type Input = VerbatimInput | CanonicalInput<EmbedRequest>;

/** The form of vectors that a client asks for. */
export type VectorForm = Pick<EmbedRequest, 'encoding' | 'numbers'>;

/** The vectors that a client asks for. */
export interface RequestedVectors extends VectorForm {
  /** Their number; undefined if it is unknown. */
  count: number | undefined;
}

/** The parts of an embedding dialect that differ between formats. */
interface Embedding<I extends Input>
  extends Pick<Dialect<I>, 'format' | 'encode' | 'decodeFailure' | 'pathOf'> {
  /** Canonical bodies alone if absent. */
  bodies?: Dialect<I>['bodies'];
  /** The canonical fields of the fields that upstreams name in errors; not for a dialect with its own `pathOf`. */
  fields?: UpstreamFields;
  /** The types of numbers other than 32-bit floats that a translated request may ask for; none if absent. */
  numbers?: readonly string[] | 'any';
  /** Returns the form that a client's own text asks for; no form if absent. */
  formIn?(text: Buffer): VectorForm;
  /** Reads a response; undefined if it is not the wanted vectors. */
  read(body: unknown, wanted: RequestedVectors): ReadResult | undefined;
}

/** Creates a dialect for embeddings, whose responses are not streamed. */
export function embeddingDialect<I extends Input = CanonicalInput<EmbedRequest>>(
  facts: Embedding<I>,
): Dialect<I> {
  const { read, encode, numbers = [], fields = {}, formIn, ...embedding } = facts;
  const readerOf = (input: I): ReadBody => {
    const wanted =
      input.body === 'canonical'
        ? { ...input.request, count: input.request.inputs.length }
        : { ...formIn?.(input.text), count: input.envelope.inputs };
    return body => read(body, wanted);
  };
  const decoder = (input: I) => new ResultDecoder(input.body === 'verbatim', readerOf(input));
  return {
    bodies: ['canonical'],
    pathOf: param => renamePath(param, fields),
    ...embedding,
    encode(input) {
      if (input.body === 'canonical' && numbers !== 'any') checkNumbers(input.request, numbers);
      return encode(input);
    },
    choices: 'one',
    decodeStream: decoder,
    decodeWhole: decoder,
    decodeBody: (body, input) => decodeResult(body, readerOf(input)),
  };
}

/** @throws GatewayError for a type of numbers that the upstream does not have */
function checkNumbers({ numbers }: EmbedRequest, supported: readonly string[]): void {
  if (numbers === undefined || supported.includes(numbers)) return;
  const known = ['float', ...supported].join(', ');
  throw unsupported('numbers', `this model's provider makes vectors of ${known}, not of ${numbers}`);
}

/** Returns the inputs as texts, for upstreams that accept only text. @throws GatewayError for any other input */
export function inputTexts(inputs: readonly EmbedInput[]): string[] {
  return inputs.map((input, i) => {
    if (typeof input === 'string') return input;
    if (!Array.isArray(input) && isOnlyText(input)) return input.text;
    const what = Array.isArray(input) ? 'tokens' : 'other content';
    throw unsupported(
      inputs.length === 1 ? 'inputs' : `inputs[${i}]`,
      `this model's provider embeds texts, not ${what}`,
    );
  });
}

/** Returns the one input as text. @throws GatewayError if there are several, for upstreams that take one at a time */
export function inputText(inputs: readonly EmbedInput[]): string {
  const [text, ...more] = inputTexts(inputs);
  if (text === undefined || more.length > 0)
    throw unsupported('inputs', "this model's provider embeds one text at a time");
  return text;
}

function isOnlyText(input: Record<string, unknown>): input is { text: string } {
  const { text, type = 'text', ...others } = input;
  return typeof text === 'string' && text !== '' && type === 'text' && Object.keys(others).length === 0;
}

/**
 * Converts vectors to the client's encoding without loss of precision; undefined if their number is not `count` or if
 * one is invalid. Vectors of other numbers than 32-bit floats stay as they are: base64 does not say what it holds.
 */
export function readVectors(
  list: readonly unknown[],
  { encoding, numbers, count = list.length }: VectorForm & { count?: number | undefined },
): Vector[] | undefined {
  if (list.length !== count) return undefined;
  const read = numbers === undefined ? readFloats : readAsIs;
  const vectors = list.flatMap(vector => read(vector, encoding) ?? []);
  return vectors.length === count ? vectors : undefined;
}

/** Returns the vector in a list, because `flatMap` would flatten a vector of numbers. */
function readFloats(value: unknown, encoding: VectorForm['encoding']): [Vector] | undefined {
  if (!isVector(value)) return undefined;
  return [encoding === 'base64' ? vectorBase64(value) : vectorJson(value)];
}

function readAsIs(value: unknown): [Vector] | undefined {
  const isGiven = typeof value === 'string' ? value !== '' : isList(value);
  return isGiven ? [value as Vector] : undefined;
}

/** True for a non-empty list of finite 32-bit floats, or its base64. */
function isVector(value: unknown): value is number[] | string {
  return typeof value === 'string' ? isBase64(value) : isList(value);
}

function isList(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every(isFloat);
}

/** True for base64 of finite floats. Malformed base64 decodes to fewer bytes than its length implies. */
function isBase64(text: string): boolean {
  const floats = vectorFloats(text);
  const whole = floats.byteLength === Buffer.byteLength(text, 'base64');
  return whole && floats.length > 0 && floats.every(Number.isFinite);
}

function isFloat(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(Math.fround(value));
}
