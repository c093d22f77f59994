import { z } from 'zod/mini';

const result = z.object({
  flagged: z.boolean(),
  /** A model that does not know a category says null. */
  categories: z.record(z.string(), z.nullable(z.boolean())),
  category_scores: z.record(z.string(), z.nullable(z.number())),
  /** The types of input that each category was scored by: `text`, `image`. */
  category_applied_input_types: z.nullish(z.record(z.string(), z.nullable(z.array(z.string())))),
});

/** The answer of `POST /v1/moderations`, as far as the console reads it. */
export const moderationsAnswer = z.object({
  results: z.array(result),
  usage: z.nullish(z.object({ prompt_tokens: z.nullish(z.number()), total_tokens: z.nullish(z.number()) })),
});
export type ModerationsAnswer = z.infer<typeof moderationsAnswer>;
export type Verdict = z.infer<typeof result>;

/** Returns the categories of all results, those with the highest score first. */
export function categoriesOf(results: readonly Verdict[]): string[] {
  const names = new Set(
    results.flatMap(({ categories, category_scores: scores }) => [
      ...Object.keys(categories),
      ...Object.keys(scores),
    ]),
  );
  const highest = (name: string) =>
    Math.max(...results.map(({ category_scores: scores }) => scores[name] ?? 0));
  return [...names].sort((one, other) => highest(other) - highest(one));
}

/** Returns the categories for which an input is flagged. */
export function flaggedFor({ categories }: Verdict): string[] {
  return Object.keys(categories).filter(name => categories[name]);
}

/** Returns the types of input that a category was scored by, such as `text, image`. */
export function typesOf(results: readonly Verdict[], category: string): string {
  const types = results.flatMap(({ category_applied_input_types: applied }) => applied?.[category] ?? []);
  return [...new Set(types)].join(', ') || '–';
}
