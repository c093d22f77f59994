import type { Effort, Reasoning } from '@model-gateway/canonical';
import type { ThinkingControl } from '@model-gateway/providers';
import { budgetOf, effortOf, nearest } from './effort.ts';

/** A wish about thinking in an upstream's terms. */
export interface SentThinking {
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
