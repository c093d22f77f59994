import type { Effort, Reasoning } from '@model-gateway/canonical';

/** Reasoning budget in tokens for each level. There is no exact equivalence; these values are customary. */
export const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** Returns the requested level, or the level nearest to the budget; undefined if the request has neither. */
export function effortOf({ effort, budget }: Reasoning): Effort | undefined {
  if (effort || budget === undefined || budget < 0) return effort;
  if (budget === 0) return 'none';
  if (budget <= 1_024) return 'low';
  if (budget <= 8_192) return 'medium';
  return budget <= 24_576 ? 'high' : 'xhigh';
}
