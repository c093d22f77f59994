import { type Effort, efforts, type Reasoning } from '@model-gateway/canonical';
import type { ThinkingControl } from '@model-gateway/providers';

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

/** A wish about thinking in an upstream's terms. */
interface SentThinking {
  /** The level for the format's own field; undefined if it is not sent. */
  level?: Effort | undefined;
  /** Top-level fields of the vendor. */
  fields?: Readonly<Record<string, unknown>> | undefined;
  /** True if the models do not think, so that nothing about it may be sent. */
  never?: true;
}

/** Returns a wish in the terms of a model's control; without one, in those of the format. */
export function sentThinking(wish: Reasoning, control: ThinkingControl | undefined): SentThinking {
  const level = effortOf(wish);
  if (!control) return { level };
  if (control.off === 'always') return { never: true };
  if (level === 'none' || (level === 'minimal' && isRatherOff(control))) return off(control);
  const { on, levels, budget } = control;
  const tokens = levels.length === 0 ? budgetOf(wish) : wish.budget;
  if (budget && tokens !== undefined && tokens > 0)
    return { fields: { ...on, [budget.field]: Math.min(Math.max(tokens, budget.least), budget.most) } };
  if (level === undefined) return wish.adaptive ? { fields: on } : {};
  return { level: nearest(level, levels), fields: on };
}

/** True for models on which the least effort is off: the next level, if they have one, is a high one. */
function isRatherOff({ off, levels: [least] }: ThinkingControl): boolean {
  return off !== null && (least === undefined || least === 'high');
}

function off({ off: fields, levels, budget }: ThinkingControl): SentThinking {
  if (fields === 'none') return { level: 'none' };
  if (fields !== null && fields !== 'always') return { fields };
  // Thinking that cannot be turned off is the least that can be asked for.
  const [least] = levels;
  if (least === undefined && budget) return { fields: { [budget.field]: budget.least } };
  return { level: least };
}
