import { charactersPerToken } from '../responder/tokens.ts';

export const maxDimensions = 4_096;
const defaultDimensions = 256;

const wordWeight = 1;
const gramWeight = 0.4;
const gramLength = 3;
/** Words with fewer letters weigh less. */
const fullWeightLetters = 6;

/** The length of a model's vectors: the number in its name, as in `sim-d1024`, or 256. */
export function dimensionsOf(model: string): number {
  const [, digits] = /(?:^|[-/])d(\d{1,4})(?=-|$)/.exec(model) ?? [];
  const dimensions = Number(digits ?? defaultDimensions);
  return dimensions >= 1 && dimensions <= maxDimensions ? dimensions : defaultDimensions;
}

/**
 * The vector of a text, of length 1. Words and their runs of three letters are hashed to positions and signs. Texts that
 * share words or parts of words have similar vectors, and the same text always has the same vector.
 */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  const add = (feature: string, weight: number) => {
    const bits = hashOf(feature);
    const at = (bits >>> 1) % dimensions;
    sums[at] = (sums[at] ?? 0) + (bits & 1 ? weight : -weight);
  };
  for (const word of wordsOf(text)) {
    const weight = Math.min(word.length, fullWeightLetters) / fullWeightLetters;
    add(word, wordWeight * weight);
    const framed = `^${word}$`;
    for (let at = 0; at + gramLength <= framed.length; at++)
      add(framed.slice(at, at + gramLength), gramWeight * weight);
  }
  if (sums.every(sum => sum === 0)) add(`=${text}`, 1);
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, sum => sum / length);
}

/** The cosine of two vectors, from -1 to 1. */
function similarity(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').toLowerCase();
  return plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** A hash of 32 bits (FNV-1a, mixed so that the low bits are random, too). */
function hashOf(text: string): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return (bits ^ (bits >>> 13)) >>> 0;
}

export function base64Of(vector: Float32Array): string {
  return Buffer.from(vector.buffer).toString('base64');
}

/** A text has at least one token. */
export function tokensIn(text: string): number {
  return Math.max(1, Math.ceil(text.length / charactersPerToken));
}

export function tokensInAll(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + tokensIn(text), 0);
}

interface Ranked {
  /** The index of the document in the request. */
  index: number;
  /** From 0 to 1. */
  score: number;
  /** The score before it was mapped to 0 to 1. */
  raw: number;
}

/** Large, so that few words of a long document share a position. */
const dimensions = 2_048;
const steepness = 12;
const middle = 0.25;

/** The documents, best score first. */
export function ranking(query: string, documents: readonly string[]): Ranked[] {
  const wanted = vectorOf(query, dimensions);
  return documents
    .map((document, index) => {
      const raw = steepness * (similarity(wanted, vectorOf(document, dimensions)) - middle);
      return { index, score: 1 / (1 + Math.exp(-raw)), raw };
    })
    .sort((one, other) => other.raw - one.raw || one.index - other.index);
}
