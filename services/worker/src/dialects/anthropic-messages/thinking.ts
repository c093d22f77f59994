import type { Effort, Reasoning } from '@model-gateway/canonical';
import type { Turn } from './conversation.ts';
import type { ModelTraits } from './models.ts';

/** How a request asks to think: fields of its body. */
export interface Thinking {
  thinking?: { type: string; budget_tokens?: number; display?: string };
  effort?: string;
}

/** The least budget that upstreams take. */
const minBudget = 1_024;

/** There is no exact equivalence: these are the numbers in use. */
const budgets: Record<Effort, number> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
};

/** The models name no level below low. */
const levels: Record<Effort, string> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

export interface ThinkingContext {
  traits: ModelTraits;
  maxTokens: number;
  /** The model must call a tool. */
  forced: boolean;
  turns: Turn[];
}

/** What a wish to reason comes to for a model; nothing where nothing was wished. */
export function thinking(reasoning: Reasoning | undefined, context: ThinkingContext): Thinking {
  if (!reasoning) return {};
  switch (context.traits.thinking) {
    case 'none':
      return {};
    case 'budget':
      return byBudget(reasoning, context);
    case 'adaptive':
      return adaptive(reasoning, context);
  }
}

function byBudget(reasoning: Reasoning, { maxTokens, forced, turns }: ThinkingContext): Thinking {
  const wanted = wantedBudget(reasoning);
  if (wanted <= 0 || maxTokens <= minBudget || forced || !beginsLoopWithThinking(turns)) return {};
  // A budget of all tokens would leave none for the answer.
  const most = Math.max(minBudget, Math.floor(maxTokens * 0.75));
  const budget = Math.min(Math.max(wanted, minBudget), most);
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function wantedBudget({ effort, budget, adaptive }: Reasoning): number {
  if (budget !== undefined && budget >= 0) return budget;
  if (effort) return budgets[effort];
  return adaptive ? budgets.medium : 0;
}

function adaptive(reasoning: Reasoning, { traits, forced }: ThinkingContext): Thinking {
  const { show } = reasoning;
  const effort = wantedEffort(reasoning);
  if (effort === 'none') return traits.canRest ? { thinking: { type: 'disabled' } } : { effort: 'low' };
  const level = effort ? { effort: levels[effort] } : {};
  const asked = effort !== undefined || reasoning.adaptive || show;
  if (forced || !asked) return level;
  // Left to themselves these models hide what they think.
  return { ...level, thinking: { type: 'adaptive', ...(show && { display: 'summarized' }) } };
}

function wantedEffort({ effort, budget }: Reasoning): Effort | undefined {
  if (effort || budget === undefined || budget < 0) return effort;
  if (budget === 0) return 'none';
  if (budget <= 1_024) return 'low';
  if (budget <= 8_192) return 'medium';
  return budget <= 24_576 ? 'high' : 'xhigh';
}

/** A model that thinks by budget refuses a last turn with tool calls that does not begin with its thoughts. */
function beginsLoopWithThinking(turns: Turn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant');
  if (!last?.content.some(({ type }) => type === 'tool_use')) return true;
  return /^(redacted_)?thinking$/.test(last.content[0]?.type ?? '');
}
