import { duration, matchesPattern } from '@model-gateway/canonical';
import { z } from 'zod';

/** The most models of one provider that are discovered. */
export const mostDiscovered = 2_000;
/** Time between two refreshes, in milliseconds, unless the provider says otherwise. */
const usualEveryMs = 10 * 60_000;

const pattern = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine(text => text.split('*').length <= 2, 'must hold at most one *');
const patterns = z.array(pattern).max(100, 'must hold at most 100 patterns');

const settings = z.strictObject({
  discover: z.literal(true, { error: 'must be true' }),
  /** Patterns of the names at the provider that are listed; all if absent. */
  include: patterns.optional(),
  /** Patterns of the names at the provider that are not listed. */
  exclude: patterns.optional(),
  /** Text before each name, by which clients ask for the model. */
  prefix: z
    .string()
    .max(100, 'must have at most 100 characters')
    .regex(/^[^\p{Cc}*]*$/u, 'must hold neither control characters nor a *')
    .refine(text => text.trimStart() === text, 'must not start with a space')
    .optional(),
  /** Time between two refreshes, in milliseconds. */
  every: duration
    .refine(ms => ms >= 10_000 && ms <= 7 * 86_400_000, 'must be at least 10s and at most 7d')
    .optional(),
});

/** The setting by which a provider lists its models itself. */
export const discovery = z.union(
  [z.literal('discover').transform((): z.infer<typeof settings> => ({ discover: true })), settings],
  { error: 'must be discover, or a mapping of discover: true, include, exclude, prefix and every' },
);
export type Discovery = z.infer<typeof discovery>;

/** A discovered model: its name for clients, and that at the provider. */
export interface Discovered {
  name: string;
  model: string;
}

/** Returns the time between two refreshes, in milliseconds. */
export function refreshMs({ every = usualEveryMs }: Discovery): number {
  return every;
}

/** Returns the models of an upstream's list that a provider wants, each once. Names that no model can have are left out. */
export function discoveredOf(
  { include, exclude = [], prefix = '' }: Discovery,
  names: readonly string[],
): Discovered[] {
  const matches = (name: string, patterns: readonly string[]) =>
    patterns.some(each => matchesPattern(name, each));
  return [...new Set(names)]
    .map(model => ({ name: prefix + model, model }))
    .filter(({ name, model }) => isName(name) && isName(model))
    .filter(({ model }) => (!include || matches(model, include)) && !matches(model, exclude))
    .slice(0, mostDiscovered);
}

function isName(text: string): boolean {
  return /^[^\p{Cc}*]{1,200}$/u.test(text) && text.trim() === text && text.isWellFormed();
}
