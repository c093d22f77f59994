import { bestFirst, type Ranked, type RerankRequest } from '@model-gateway/canonical';

/** One document's place and score, as an upstream has it. */
interface Item {
  index?: unknown;
  relevance_score?: unknown;
  score?: unknown;
}

/** Reads a list of ranks, the best first; undefined where one is of no document, of one that was there, or no rank. */
export function readRanking(
  list: unknown,
  { documents, top }: Pick<RerankRequest, 'documents' | 'top'>,
): Ranked[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const ranked = list.map(readItem);
  const good = ranked.every(({ index, score }) => index in documents && Number.isFinite(score));
  const unique = new Set(ranked.map(({ index }) => index)).size === ranked.length;
  return good && unique ? bestFirst(ranked, top) : undefined;
}

/** What is wrong of it is no number. */
function readItem(item: Item | null): Ranked {
  const { index, relevance_score: relevance, score = relevance } = item ?? {};
  return {
    index: Number.isInteger(index) ? (index as number) : Number.NaN,
    score: typeof score === 'number' ? score : Number.NaN,
  };
}
