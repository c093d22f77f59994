/** The relevance of a document to the query. */
export interface Ranked {
  /** The document's index in the request. */
  index: number;
  /** Higher is better. */
  score: number;
}

/** A request's documents, best first. */
export interface RerankAnswer {
  type: 'ranking';
  /** The upstream's id of the response; empty if it has none. */
  id: string;
  /** The model's name in the upstream's response; empty if absent. */
  model: string;
  ranked: Ranked[];
}

/** Sorts by descending score, then by index; returns at most `top` documents, or all if it is absent. */
export function bestFirst(ranked: readonly Ranked[], top = ranked.length): Ranked[] {
  return ranked.toSorted((one, other) => other.score - one.score || one.index - other.index).slice(0, top);
}
