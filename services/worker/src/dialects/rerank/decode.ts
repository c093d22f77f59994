import { bestFirst, noUsage, type Ranked, type RerankRequest, type Usage } from '@model-gateway/canonical';
import type { ReadResult } from '../result.ts';

/** The usage fields of a Cohere response. */
export interface CohereMeta {
  billed_units?: { input_tokens?: unknown; total_tokens?: unknown; search_units?: unknown } | null;
  tokens?: { input_tokens?: unknown } | null;
}

/** Reads the usage in tokens, searches or both; null if the response reports neither. */
export function readCohereUsage(meta: CohereMeta | null | undefined): Usage | null {
  const { billed_units: billed, tokens } = meta ?? {};
  const input = [tokens?.input_tokens, billed?.input_tokens, billed?.total_tokens].find(isCount);
  const searches = [billed?.search_units].find(isCount);
  if (input === undefined && searches === undefined) return null;
  return { ...noUsage, input: input ?? 0, ...(searches !== undefined && { units: { searches } }), raw: meta };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

/** The expected shape of a response. */
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

/** The expected shape of a response. SGLang sends only the list, and Voyage uses `data`. */
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

/** Reads a response that is only a list, without usage. */
export function readTei(body: unknown, request: RerankRequest): ReadResult | undefined {
  const ranked = readRanking(body, request);
  return ranked && { result: { type: 'ranking', id: '', model: '', ranked }, usage: null };
}

/** A document's index and score. Upstreams differ in the score's name. */
interface Item {
  index?: unknown;
  relevance_score?: unknown;
  score?: unknown;
}

/** Reads a ranking, best first; undefined if an index is unknown or repeated, or a score is invalid. */
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

/** Reads an item. Invalid fields become NaN. */
function readItem(item: Item | null): Ranked {
  const { index, relevance_score: relevance, score = relevance } = item ?? {};
  return {
    index: Number.isInteger(index) ? (index as number) : Number.NaN,
    score: typeof score === 'number' ? score : Number.NaN,
  };
}
