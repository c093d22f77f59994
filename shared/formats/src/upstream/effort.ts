import { type Effort, efforts, type Reasoning } from '@model-gateway/canonical';

/**
 * The number of tokens for each level, and the largest budget of a client that counts as the level, in every format that has either.
 * There is no exact equivalence; these values are customary.
 */
const table: Record<Effort, { budget: number; upTo: number }> = {
  none: { budget: 0, upTo: 0 },
  // A budget is never as little as this level, which many models do not have.
  minimal: { budget: 512, upTo: 0 },
  low: { budget: 1_024, upTo: 1_024 },
  medium: { budget: 4_096, upTo: 8_192 },
  high: { budget: 16_384, upTo: 24_576 },
  xhigh: { budget: 32_768, upTo: Number.POSITIVE_INFINITY },
  max: { budget: 32_768, upTo: Number.POSITIVE_INFINITY },
};

/** Returns the requested number of tokens, or that of the requested level; undefined if the request has neither. */
export function budgetOf({ effort, budget }: Reasoning): number | undefined {
  return budget ?? (effort && table[effort].budget);
}

/** Returns the requested level, or the level nearest to the budget; undefined if the request has neither. */
export function effortOf({ effort, budget }: Reasoning): Effort | undefined {
  if (effort || budget === undefined || budget < 0) return effort;
  return efforts.find(level => budget <= table[level].upTo);
}

/** Returns the level nearest to a requested one among those that a model takes, the greater of two; undefined if it has none. */
export function nearest<L extends Effort>(effort: Effort, levels: readonly L[]): L | undefined {
  const distance = (level: Effort) => Math.abs(efforts.indexOf(level) - efforts.indexOf(effort));
  let best: L | undefined;
  for (const level of levels) if (!best || distance(level) <= distance(best)) best = level;
  return best;
}
