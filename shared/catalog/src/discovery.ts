import { matchesPattern } from '@model-gateway/canonical';
import type { Discovery } from './schema.ts';

/** The most models of one provider that are discovered. */
export const mostDiscovered = 2_000;
/** Time between two refreshes, in milliseconds, unless the provider says otherwise. */
const usualEveryMs = 10 * 60_000;

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
