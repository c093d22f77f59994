/** How well a document fits the query. */
export interface Ranked {
  /** Its place in the request. */
  index: number;
  /** The higher the better. */
  score: number;
}

/** A request's documents, the best first. */
export interface RerankAnswer {
  type: 'ranking';
  /** The upstream's id for it; empty where it has none. */
  id: string;
  /** The model as the upstream names it; empty where it does not say. */
  model: string;
  ranked: Ranked[];
}

/** The best first, of equals the one that came first in the request; at most `top` of them, all where it is absent. */
export function bestFirst(ranked: readonly Ranked[], top = ranked.length): Ranked[] {
  return ranked.toSorted((one, other) => other.score - one.score || one.index - other.index).slice(0, top);
}
