import { likeness, vectorOf } from './vector.ts';

/** How well a document fits the query. */
export interface Ranked {
  /** Its place in the request. */
  index: number;
  /** From 0 to 1. */
  score: number;
  /** What the score was before it was brought between 0 and 1. */
  raw: number;
}

/** Many, so that few words of a long document share a place. */
const dimensions = 2_048;
const steepness = 12;
const middle = 0.25;

/** The documents in the order in which they fit the query, the best first; of equals the one that came first. */
export function ranking(query: string, documents: readonly string[]): Ranked[] {
  const wanted = vectorOf(query, dimensions);
  return documents
    .map((document, index) => {
      const raw = steepness * (likeness(wanted, vectorOf(document, dimensions)) - middle);
      return { index, score: 1 / (1 + Math.exp(-raw)), raw };
    })
    .sort((one, other) => other.raw - one.raw || one.index - other.index);
}
