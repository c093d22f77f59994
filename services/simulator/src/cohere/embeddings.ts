import { base64Of } from '../vectors/base64.ts';
import type { EmbeddingType } from './embed-request.ts';

/** How a vector is written in each of the types that can be asked for. */
export const written: Record<EmbeddingType, (vector: Float32Array) => number[] | string> = {
  float: vector => [...vector],
  int8: vector => Array.from(vector, byteOf),
  uint8: vector => Array.from(vector, number => byteOf(number) + 128),
  binary: vector => bitsOf(vector).map(byte => byte - 128),
  ubinary: bitsOf,
  base64: base64Of,
};

function byteOf(number: number): number {
  return Math.round(number * 127);
}

/** Eight numbers a byte, the first the highest bit: 1 is a positive number. */
function bitsOf(vector: Float32Array): number[] {
  const bytes = new Uint8Array(Math.ceil(vector.length / 8));
  for (const [at, number] of vector.entries())
    if (number > 0) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7));
  return [...bytes];
}
