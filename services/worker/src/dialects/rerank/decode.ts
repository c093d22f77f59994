import { bestFirst, noUsage, type Ranked, type RerankRequest, type Usage } from '@model-gateway/canonical';
import { type CohereMeta, readCohereUsage } from '../cohere-usage.ts';
import type { ReadResult } from '../result.ts';

/** An answer, as far as it is what it should be. */
interface CohereBody {
  id?: unknown;
  results?: unknown;
  meta?: CohereMeta | null;
}

export function readCohere(body: unknown, request: RerankRequest): ReadResult | undefined {
  const { id, results, meta } = (body ?? {}) as CohereBody;
  const ranked = readRanking(results, request);
  return (
    ranked && {
      result: { type: 'ranking', id: typeof id === 'string' ? id : '', model: '', ranked },
      usage: readCohereUsage(meta),
    }
  );
}

/** An answer, as far as it is what it should be. SGLang's is the list alone, and Voyage's is in `data`. */
interface JinaBody {
  id?: unknown;
  model?: unknown;
  results?: unknown;
  data?: unknown;
  usage?: { prompt_tokens?: unknown; total_tokens?: unknown } | null;
  meta?: CohereMeta | null;
}

export function readJina(body: unknown, request: RerankRequest): ReadResult | undefined {
  const { id, model, results, data, usage, meta }: JinaBody = Array.isArray(body)
    ? { results: body }
    : ((body ?? {}) as JinaBody);
  const ranked = readRanking(results ?? data, request);
  return (
    ranked && {
      result: { type: 'ranking', id: textOf(id), model: textOf(model), ranked },
      usage: readUsage(usage) ?? readCohereUsage(meta),
    }
  );
}

function readUsage(usage: JinaBody['usage']): Usage | null {
  const input = usage?.total_tokens ?? usage?.prompt_tokens;
  return typeof input === 'number' && input > 0 ? { ...noUsage, input, raw: usage } : null;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The answer is the list alone, and tells no usage. */
export function readTei(body: unknown, request: RerankRequest): ReadResult | undefined {
  const ranked = readRanking(body, request);
  return ranked && { result: { type: 'ranking', id: '', model: '', ranked }, usage: null };
}

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
