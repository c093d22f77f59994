import { bestFirst, type Ranked, type RerankRequest } from '@model-gateway/canonical';
import { readUsageOf } from '../upstream/any-usage.ts';
import { readFailure } from '../upstream/failure-body.ts';
import type { ReadResult } from '../upstream/result.ts';

/** The expected shape of a response. TEI and SGLang send only the list, and Voyage uses `data`. */
interface Body {
  id?: unknown;
  model?: unknown;
  results?: unknown;
  data?: unknown;
  usage?: unknown;
  meta?: unknown;
}

/** Reads a response in the shape of Cohere's, Jina's, Voyage's or TEI's. */
export function readRanked(body: unknown, request: RerankRequest): ReadResult | undefined {
  const fields: Body = Array.isArray(body) ? { results: body } : ((body ?? {}) as Body);
  const { id, model, results, data } = fields;
  const ranked = readRanking(results === undefined ? data : results, request);
  // An empty list may be null.
  if (!ranked || (ranked.length === 0 && readFailure(body)?.message)) return undefined;
  return {
    result: { type: 'ranking', id: textOf(id), model: textOf(model), ranked },
    usage: readUsageOf(fields),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A document's index and score. Upstreams differ in the score's name. */
interface Item {
  index?: unknown;
  relevance_score?: unknown;
  score?: unknown;
}

/** Reads a ranking, best first; undefined if an index is unknown or repeated, or a score is invalid. A list that is null is empty. */
function readRanking(
  list: unknown,
  { documents, top }: Pick<RerankRequest, 'documents' | 'top'>,
): Ranked[] | undefined {
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ranked = list.map(readItem);
  const good = ranked.every(({ index, score }) => index in documents && Number.isFinite(score));
  const unique = new Set(ranked.map(({ index }) => index)).size === ranked.length;
  return good && unique ? bestFirst(ranked, top) : undefined;
}

/** Reads an item. Invalid fields become NaN. */
function readItem(item: Item | null): Ranked {
  const { index, relevance_score: relevance, score } = item ?? {};
  const place = numberOf(index);
  return { index: Number.isInteger(place) ? place : Number.NaN, score: numberOf(score ?? relevance) };
}

/** Returns a number, which some servers send as text. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /\d/.test(value) ? Number(value) : Number.NaN;
}
