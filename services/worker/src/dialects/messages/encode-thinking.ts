import type { Effort, Reasoning } from '@model-gateway/canonical';
import { budgets, effortOf } from '../effort.ts';
import type { Turn } from './encode-conversation.ts';
import type { ModelTraits } from './models.ts';

/** The thinking fields of a request body. */
export interface Thinking {
  thinking?: { type: string; budget_tokens?: number; display?: string };
  effort?: string;
}

/** Requests thinking without text, for clients that drop it: upstreams refuse thinking that lost its text. */
const hidden = { display: 'omitted' };

/** The smallest budget that upstreams accept, in tokens. */
const minBudget = 1_024;

/** Effort names of the models, which have no level below `low`. */
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
  capabilities: ModelTraits;
  maxTokens: number;
  /** True if the model must call a tool. */
  forced: boolean;
  turns: Turn[];
}

/** Encodes reasoning settings for a model; returns `{}` if the request has none. */
export function thinking(reasoning: Reasoning | undefined, context: ThinkingContext): Thinking {
  if (!reasoning) return {};
  switch (context.capabilities.thinking) {
    case 'none':
      return {};
    case 'budget':
      return byBudget(reasoning, context);
    case 'adaptive':
      return adaptive(reasoning, context);
  }
}

function byBudget(reasoning: Reasoning, { maxTokens, forced, turns }: ThinkingContext): Thinking {
  const requested = requestedBudget(reasoning);
  if (requested <= 0 || maxTokens <= minBudget || forced || !beginsLoopWithThinking(turns)) return {};
  // A budget of all tokens would leave none for the answer.
  const most = Math.max(minBudget, Math.floor(maxTokens * 0.75));
  const budget = Math.min(Math.max(requested, minBudget), most);
  return { thinking: { type: 'enabled', budget_tokens: budget, ...(reasoning.show === false && hidden) } };
}

function requestedBudget({ effort, budget, adaptive }: Reasoning): number {
  if (budget !== undefined && budget >= 0) return budget;
  if (effort) return budgets[effort];
  return adaptive ? budgets.medium : 0;
}

function adaptive(reasoning: Reasoning, { capabilities, forced }: ThinkingContext): Thinking {
  const { show } = reasoning;
  const effort = effortOf(reasoning);
  if (effort === 'none')
    return capabilities.supportsThinkingOff ? { thinking: { type: 'disabled' } } : { effort: 'low' };
  const level = effort ? { effort: levels[effort] } : {};
  const enabled = effort !== undefined || reasoning.adaptive || show;
  if (forced || !enabled) return level;
  // These models omit the text of their thinking by default.
  return {
    ...level,
    thinking: { type: 'adaptive', ...(show && { display: 'summarized' }), ...(show === false && hidden) },
  };
}

/** True if the last assistant turn has no tool calls or starts with thinking, as models with a budget require. */
export function beginsLoopWithThinking(turns: readonly LoopTurn[]): boolean {
  const { content = '' } = turns.findLast(({ role }) => role === 'assistant') ?? {};
  if (typeof content === 'string' || !content.some(({ type }) => type === 'tool_use')) return true;
  return /^(redacted_)?thinking$/.test(content[0]?.type ?? '');
}

interface LoopTurn {
  role: string;
  content: string | readonly { type: string }[];
}
