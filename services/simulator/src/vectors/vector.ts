/** How many numbers a vector may have. */
export const mostDimensions = 4_096;
const usualDimensions = 256;

const wordWeight = 1;
const gramWeight = 0.4;
const gramLength = 3;
/** From so many letters on, a word says as much as any other. */
const tellingLetters = 6;

/** How many numbers the vectors of a model have: as many as its name says, as in `sim-d1024`, or 256. */
export function dimensionsOf(model: string): number {
  const [, said] = /(?:^|[-/])d(\d{1,4})(?=-|$)/.exec(model) ?? [];
  const dimensions = Number(said ?? usualDimensions);
  return dimensions >= 1 && dimensions <= mostDimensions ? dimensions : usualDimensions;
}

/**
 * The vector of a text, of length 1: its words and their runs of three letters, each at a place and with a sign that its
 * hash says. Texts that share words or parts of them lie near one another; the same text has always the same vector.
 */
export function vectorOf(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  const add = (feature: string, weight: number) => {
    const bits = hashOf(feature);
    const at = (bits >>> 1) % dimensions;
    sums[at] = (sums[at] ?? 0) + (bits & 1 ? weight : -weight);
  };
  for (const word of wordsOf(text)) {
    const weight = Math.min(word.length, tellingLetters) / tellingLetters;
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
export function likeness(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}

/** 32 bits (FNV-1a, mixed so that the low ones are good too). */
function hashOf(text: string): number {
  let bits = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return (bits ^ (bits >>> 13)) >>> 0;
}
