import {
  type EmbedRequest,
  type Vector,
  vectorBase64,
  vectorFloats,
  vectorJson,
} from '@model-gateway/canonical';
import type { CanonicalInput, VerbatimInput } from './dialect.ts';

type Encoding = EmbedRequest['encoding'];

/**
 * Converts vectors to the client's encoding without loss of precision; undefined if their number is not `count` or if
 * one is invalid.
 */
export function readVectors(
  list: readonly unknown[],
  encoding: Encoding,
  count = list.length,
): Vector[] | undefined {
  if (list.length !== count) return undefined;
  const vectors = list.flatMap(vector => readVector(vector, encoding) ?? []);
  return vectors.length === count ? vectors : undefined;
}

/** Returns the vector in a list, because `flatMap` would flatten a vector of numbers. */
function readVector(value: unknown, encoding: Encoding): [Vector] | undefined {
  if (!isVector(value)) return undefined;
  return [encoding === 'base64' ? vectorBase64(value) : vectorJson(value)];
}

/** True for a non-empty list of finite 32-bit floats, or its base64. */
function isVector(value: unknown): value is number[] | string {
  if (typeof value === 'string') return isBase64(value);
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
