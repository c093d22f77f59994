import { topLevelSpans } from '@model-gateway/json';
import { readUsageOf } from '../upstream/any-usage.ts';
import { objectIn } from '../upstream/read-json.ts';
import type { ReadResult } from '../upstream/result.ts';
import { readVectors, type VectorForm } from '../upstream/vectors.ts';
import { vectorFields, vectorForm } from './types.ts';

const formFields = new Set<string>(vectorFields);

/** Returns the form that a client's request asks for. */
export function formIn(request: Buffer): VectorForm {
  const text = request.toString('utf8');
  const given: Record<string, unknown> = {};
  for (const { key, valueStart, valueEnd } of topLevelSpans(text))
    if (formFields.has(key)) given[key] = JSON.parse(text.slice(valueStart, valueEnd));
  return vectorForm(given);
}

/** The requested form and number of vectors. */
export interface Expected extends VectorForm {
  /** Undefined if the number is unknown. */
  count?: number | undefined;
}

/** Reads the vectors of a response; undefined if one is missing, misplaced or invalid. */
export function readEmbeddings(body: unknown, { count, ...form }: Expected): ReadResult | undefined {
  const fields = objectIn(body) ?? {};
  const { model, data } = fields;
  if (!Array.isArray(data)) return undefined;
  const items = data.map(objectIn);
  const embeddings = inOrder(
    items.map((item, at) => item?.index ?? at),
    items.map(item => item?.embedding),
  );
  const vectors = embeddings && readVectors(embeddings, form, count);
  if (!vectors) return undefined;
  const isPlain = (item: Record<string, unknown> | undefined, at: number) =>
    item?.object === 'embedding' && item.index === at && isAsked(item.embedding, form);
  return {
    result: { type: 'embeddings', model: typeof model === 'string' ? model : '', vectors },
    usage: readUsageOf(fields),
    asAsked: hasAllFields(fields) && items.every(isPlain),
  };
}

/**
 * Returns the values in the order of their inputs; undefined if their indexes have none. Indexes may begin at any number. If all are
 * the same, or count up from the first again and again, as those of a server that splits requests, the list is in order.
 */
function inOrder(indexes: readonly unknown[], values: readonly unknown[]): readonly unknown[] | undefined {
  const numbers = indexes.map(numberOf);
  const [first = 0] = numbers;
  if (numbers.every((index, at) => index === (numbers[at - 1] ?? Number.NaN) + 1 || index === first))
    return values;
  const least = numbers.reduce((least, index) => Math.min(least, index), first);
  const byIndex = new Map(numbers.map((index, at) => [index - least, values[at]]));
  const all = values.every((_, at) => byIndex.has(at));
  return all ? values.map((_, at) => byIndex.get(at)) : undefined;
}

/** Returns an index, which some servers send as text; NaN for any other value. */
function numberOf(index: unknown): number {
  const number = typeof index === 'string' && /^\d{1,9}$/.test(index) ? Number(index) : index;
  return Number.isSafeInteger(number) ? (number as number) : Number.NaN;
}

function isAsked(embedding: unknown, { encoding, numbers }: VectorForm): boolean {
  return numbers !== undefined || (typeof embedding === 'string') === (encoding === 'base64');
}

/** True if the response has every field that clients read beside its vectors. */
function hasAllFields({ object, model, usage }: Record<string, unknown>): boolean {
  const { prompt_tokens: prompt, total_tokens: total } = objectIn(usage) ?? {};
  const isCounted = Number.isFinite(prompt) && Number.isFinite(total);
  return object === 'list' && typeof model === 'string' && isCounted;
}
