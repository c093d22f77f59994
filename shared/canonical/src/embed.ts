import { endianness } from 'node:os';
import type { WireFormat } from './wire-format.ts';

/** An input to embed: a text, the token ids of one, or an object such as `{ image }`, which only some formats have. */
export type EmbedInput = string | number[] | Record<string, unknown>;

/** Purposes of a vector, for models that make a different vector for each. */
const embedTasks = [
  'query',
  'document',
  'similarity',
  'classification',
  'clustering',
  'question-answering',
  'fact-verification',
  'code-query',
] as const;
export type EmbedTask = (typeof embedTasks)[number];

/** A request to embed texts. */
export interface EmbedRequest {
  inputs: EmbedInput[];
  /** Numbers per vector. */
  dimensions?: number;
  task?: EmbedTask;
  /** Title of the documents, for models that take one; it applies to all inputs. */
  title?: string;
  /** True if an input that is too long is truncated; if absent, the upstream decides. */
  truncate?: boolean;
  /** Encoding that the client requested; an upstream may send another. */
  encoding?: 'float' | 'base64';
  /** Type of the vectors' numbers, such as `int8`; 32-bit floats if absent. */
  numbers?: string;
  user?: string;
  /** Fields that only one format has, keyed by that format. */
  extensions?: Partial<Record<WireFormat, Record<string, unknown>>>;
}

/** A vector as the upstream sent it: numbers, or base64 of little-endian 32-bit floats; or packed. */
export type Vector = number[] | string | PackedVector;

/** A vector that is cheap to pass on: base64 of little-endian 64-bit floats. */
interface PackedVector {
  doubles: string;
}

/** Packs a list of numbers; returns other vectors unchanged. */
export function packVector(vector: Vector): Vector {
  if (!Array.isArray(vector)) return vector;
  // A value that is not a number is the raw JSON of -0.
  const doubles = Float64Array.from(vector, number => (typeof number === 'number' ? number : -0));
  return { doubles: Buffer.from(littleEndian(new Uint8Array(doubles.buffer), 8)).toString('base64') };
}

/** True if any vector is packed; those of a large result are. */
export function arePacked(vectors: readonly Vector[]): boolean {
  return vectors.some(vector => typeof vector === 'object' && !Array.isArray(vector));
}

function unpacked({ doubles }: PackedVector): number[] {
  const bytes = new Uint8Array(Buffer.from(doubles, 'base64'));
  return listOf(new Float64Array(littleEndian(bytes, 8).buffer));
}

/** The vectors of a request's inputs, in order. */
export interface EmbedAnswer {
  type: 'embeddings';
  /** The model's name in the upstream's response; empty if absent. */
  model: string;
  vectors: Vector[];
}

/** Returns a vector as 32-bit floats. */
export function vectorFloats(vector: Vector): Float32Array<ArrayBuffer> {
  if (typeof vector !== 'string') return Float32Array.from(listed(vector));
  const bytes = Buffer.from(vector, 'base64');
  // Copied, since a Float32Array must start at a multiple of 4 bytes.
  const floats = new Uint8Array(bytes.subarray(0, bytes.length - (bytes.length % 4)));
  return new Float32Array(littleEndian(floats).buffer);
}

/** Returns a vector as the exact values of its 32-bit floats, for `JSON.stringify` only: -0 is raw JSON. */
export function vectorJson(vector: Vector): number[] {
  const numbers = typeof vector === 'string' ? listOf(vectorFloats(vector)) : listed(vector);
  return numbers.some(isNegativeZero)
    ? numbers.map(number => (isNegativeZero(number) ? negativeZero : number))
    : numbers;
}

/** Returns a vector as base64 of little-endian 32-bit floats. */
export function vectorBase64(vector: Vector): string {
  if (typeof vector === 'string') return vector;
  return Buffer.from(littleEndian(new Uint8Array(vectorFloats(vector).buffer))).toString('base64');
}

function listed(vector: number[] | PackedVector): number[] {
  return Array.isArray(vector) ? vector : unpacked(vector);
}

/** Copies floats into an array, in a third of the time of `Array.from`. */
function listOf(floats: Float32Array | Float64Array): number[] {
  const list: number[] = [];
  for (let i = 0; i < floats.length; i++) list.push(floats[i] as number);
  return list;
}

/** Converts bytes between this machine's order and little-endian, in place. */
function littleEndian(bytes: Uint8Array<ArrayBuffer>, size: 4 | 8 = 4): Uint8Array<ArrayBuffer> {
  if (endianness() === 'BE') Buffer.from(bytes.buffer)[size === 8 ? 'swap64' : 'swap32']();
  return bytes;
}

/** Raw JSON for -0, which `JSON.stringify` would write as 0. */
const negativeZero = (JSON as unknown as { rawJSON(text: string): number }).rawJSON('-0.0');

function isNegativeZero(number: number): boolean {
  return Object.is(number, -0);
}
