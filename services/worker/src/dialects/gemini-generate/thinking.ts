import type { Effort, Reasoning } from '@model-gateway/canonical';
import { budgets, effortOf } from '../effort.ts';
import type { Level, ModelTraits, ThinkingTraits } from './models.ts';

/** How a request asks to think. */
export interface ThinkingConfig {
  includeThoughts?: boolean;
  thinkingBudget?: number;
  thinkingLevel?: Level;
}

/** The levels that come nearest to each effort, the best first; every model has one of them. */
const levels: Record<Effort, readonly Level[]> = {
  none: ['MINIMAL', 'LOW'],
  minimal: ['MINIMAL', 'LOW'],
  low: ['LOW'],
  medium: ['MEDIUM', 'HIGH'],
  high: ['HIGH'],
  xhigh: ['HIGH'],
  max: ['HIGH'],
};

/** Least thought: these models count in smaller steps than others do. */
const minimal = 512;
/** As much as the model likes. */
const automatic = -1;

/** What a wish to reason comes to for a model; nothing where nothing was wished, or the model does not think. */
export function thinkingConfig(
  reasoning: Reasoning | undefined,
  { thinking }: ModelTraits,
): { thinkingConfig?: ThinkingConfig } {
  if (!reasoning || thinking.by === 'none') return {};
  const amount =
    thinking.by === 'level' ? byLevel(reasoning, thinking.levels) : byBudget(reasoning, thinking);
  // Who names a number of tokens is used to see what they were spent on.
  const { show = reasoning.budget === undefined ? undefined : true } = reasoning;
  const shown = effortOf(reasoning) === 'none' ? false : show;
  const config = { ...(shown !== undefined && { includeThoughts: shown }), ...amount };
  return Object.keys(config).length > 0 ? { thinkingConfig: config } : {};
}

function byLevel(reasoning: Reasoning, has: readonly Level[]): ThinkingConfig {
  const effort = effortOf(reasoning);
  const level = effort && levels[effort].find(name => has.includes(name));
  return level ? { thinkingLevel: level } : {};
}

type Budgets = Extract<ThinkingTraits, { by: 'budget' }>;

function byBudget(reasoning: Reasoning, { least, most, canRest }: Budgets): ThinkingConfig {
  const wanted = wantedBudget(reasoning);
  if (wanted === undefined) return {};
  if (wanted < 0 || (wanted === 0 && canRest)) return { thinkingBudget: Math.max(wanted, automatic) };
  return { thinkingBudget: Math.min(Math.max(wanted, least), most) };
}

function wantedBudget({ effort, budget, adaptive }: Reasoning): number | undefined {
  if (budget !== undefined) return budget;
  if (effort) return effort === 'minimal' ? minimal : budgets[effort];
  return adaptive ? automatic : undefined;
}
