import {
  type EmbedRequest,
  type Vector,
  vectorBase64,
  vectorFloats,
  vectorJson,
} from '@model-gateway/canonical';
import type { CanonicalInput, VerbatimInput } from './dialect.ts';

/** The form of vectors that a client asks for. */
export type VectorForm = Pick<EmbedRequest, 'encoding' | 'numbers'>;

/**
 * Converts vectors to the client's encoding without loss of precision; undefined if their number is not `count` or if
 * one is invalid. Vectors of other numbers than 32-bit floats stay as they are: base64 does not say what it holds.
 */
export function readVectors(
  list: readonly unknown[],
  { encoding, numbers }: VectorForm,
  count = list.length,
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

/** Returns the number of vectors that the response must hold, if known. */
export function vectorCount(input: VerbatimInput | CanonicalInput<EmbedRequest>): number | undefined {
  return input.body === 'canonical' ? input.request.inputs.length : input.envelope.inputs;
}
