import { z } from 'zod';
import { readUsageOf } from '../upstream/any-usage.ts';
import type { ReadResult } from '../upstream/result.ts';

/** A value of each category; null for one that the model does not know. */
const byCategory = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value.nullable()).nullish();

/** The expected shape of a response. Mistral's results have no `flagged`, and some servers' no scores. */
const moderation = z.looseObject({
  id: z.string().nullish().catch(null),
  model: z.string().nullish().catch(null),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().nullish(),
      categories: byCategory(z.boolean()),
      category_scores: byCategory(z.number()),
    }),
  ),
});

/**
 * Reads a response; undefined if it is none, or has not one result for each input. A result that does not say whether it is
 * flagged is, if any of its categories is: clients would read an absent field as false. `otherwise`: the names of a response that has none.
 */
export function readModeration(
  body: unknown,
  count: number,
  otherwise: { id: string; model: string },
): ReadResult | undefined {
  const { success, data } = moderation.safeParse(body);
  if (!success || data.results.length !== count) return undefined;
  const { results } = data;
  const id = data.id ?? otherwise.id;
  const model = data.model ?? otherwise.model;
  if (results.some(({ flagged, categories }) => flagged == null && !categories)) return undefined;
  return {
    result: {
      type: 'moderation',
      id,
      model,
      results: results.map(({ flagged, categories, category_scores: scores }) => ({
        flagged: flagged ?? Object.values(categories ?? {}).includes(true),
        categories: categories ?? {},
        scores: scores ?? {},
      })),
    },
    usage: readUsageOf(data),
    asAsked: results.every(result =>
      [result.flagged, result.categories, result.category_scores].every(isGiven),
    ),
    ...((data.id == null || data.model == null) && {
      edits: new Map([
        ['id', JSON.stringify(id)],
        ['model', JSON.stringify(model)],
      ]),
    }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
