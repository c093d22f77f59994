import {
  type EmbedRequest,
  type Vector,
  vectorBase64,
  vectorFloats,
  vectorJson,
} from '@model-gateway/canonical';
import type { EncodeInput } from './dialect.ts';

type Encoding = EmbedRequest['encoding'];

/**
 * The vectors of a list, written as the client wants them, so that nothing of them is lost on their way; undefined if
 * they are not `count`, where that is given, or if one of them is none.
 */
export function readVectors(
  list: readonly unknown[],
  encoding: Encoding,
  count = list.length,
): Vector[] | undefined {
  if (list.length !== count) return undefined;
  const vectors = list.flatMap(given => readVector(given, encoding) ?? []);
  return vectors.length === count ? vectors : undefined;
}

/** In a list of its own, since a vector of numbers is a list, too. */
function readVector(given: unknown, encoding: Encoding): [Vector] | undefined {
  if (!isVector(given)) return undefined;
  return [encoding === 'base64' ? vectorBase64(given) : vectorJson(given)];
}

/** Whether it is a list of 32-bit floats that are numbers, or the base64 of one. */
function isVector(value: unknown): value is number[] | string {
  if (typeof value === 'string') return isBase64(value);
  return Array.isArray(value) && value.length > 0 && value.every(isFloat);
}

/** What is no base64 has fewer bytes than its length says. */
function isBase64(text: string): boolean {
  const floats = vectorFloats(text);
  const whole = floats.byteLength === Buffer.byteLength(text, 'base64');
  return whole && floats.length > 0 && floats.every(Number.isFinite);
}

function isFloat(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(Math.fround(value));
}

/** How many vectors an answer has to hold, where that is known. */
export function vectorCount({ request, envelope }: EncodeInput<EmbedRequest>): number | undefined {
  return request?.inputs.length ?? envelope.inputs;
}
