import { noUsage, type Usage } from '@model-gateway/canonical';
import { z } from 'zod';
import type { ReadResult } from '../result.ts';

/** The expected shape of a response. Mistral's results have no `flagged`, and some servers' no scores. */
const moderation = z.looseObject({
  id: z.string().nullish(),
  model: z.string().nullish(),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().nullish(),
      categories: z.record(z.string(), z.boolean()),
      category_scores: z.record(z.string(), z.number()).nullish(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.number().nullish(), total_tokens: z.number().nullish() }).nullish(),
});

/**
 * Reads a response; undefined if it is none, or has not one result for each input. A result that does not say whether it is
 * flagged is, if any of its categories is: clients would read an absent field as false.
 */
export function readModeration(body: unknown, count: number): ReadResult | undefined {
  const { success, data } = moderation.safeParse(body);
  if (!success || data.results.length !== count) return undefined;
  const { id, model, results, usage } = data;
  return {
    result: {
      type: 'moderation',
      id: id ?? '',
      model: model ?? '',
      results: results.map(({ flagged, categories, category_scores: scores }) => ({
        flagged: flagged ?? Object.values(categories).includes(true),
        categories,
        scores: scores ?? {},
      })),
    },
    usage: readUsage(usage),
    asAsked: results.every(({ flagged, category_scores: scores }) => flagged != null && scores != null),
  };
}

function readUsage(usage: z.infer<typeof moderation>['usage']): Usage | null {
  const input = usage?.prompt_tokens ?? usage?.total_tokens;
  return typeof input === 'number' ? { ...noUsage, input, raw: usage } : null;
}
