import type { Effort, Reasoning } from '@model-gateway/canonical';
import { budgets, effortOf } from '../effort.ts';
import type { Turn } from './encode-conversation.ts';
import type { ModelTraits } from './models.ts';

/** How a request asks to think: fields of its body. */
export interface Thinking {
  thinking?: { type: string; budget_tokens?: number; display?: string };
  effort?: string;
}

/** A client that is shown no thoughts sends none back, and without their text they are refused, unless they came so. */
const hidden = { display: 'omitted' };

/** The least budget that upstreams take. */
const minBudget = 1_024;

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
  capabilities: ModelTraits;
  maxTokens: number;
  /** The model must call a tool. */
  forced: boolean;
  turns: Turn[];
}

/** What a wish to reason comes to for a model; nothing where nothing was wished. */
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
  const wanted = wantedBudget(reasoning);
  if (wanted <= 0 || maxTokens <= minBudget || forced || !beginsLoopWithThinking(turns)) return {};
  // A budget of all tokens would leave none for the answer.
  const most = Math.max(minBudget, Math.floor(maxTokens * 0.75));
  const budget = Math.min(Math.max(wanted, minBudget), most);
  return { thinking: { type: 'enabled', budget_tokens: budget, ...(reasoning.show === false && hidden) } };
}

function wantedBudget({ effort, budget, adaptive }: Reasoning): number {
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
  const asked = effort !== undefined || reasoning.adaptive || show;
  if (forced || !asked) return level;
  // Left to themselves these models hide what they think.
  return {
    ...level,
    thinking: { type: 'adaptive', ...(show && { display: 'summarized' }), ...(show === false && hidden) },
  };
}

/** A model that thinks by budget refuses a last turn with tool calls that does not begin with its thoughts. */
export function beginsLoopWithThinking(turns: readonly LoopTurn[]): boolean {
  const { content = '' } = turns.findLast(({ role }) => role === 'assistant') ?? {};
  if (typeof content === 'string' || !content.some(({ type }) => type === 'tool_use')) return true;
  return /^(redacted_)?thinking$/.test(content[0]?.type ?? '');
}

interface LoopTurn {
  role: string;
  content: string | readonly { type: string }[];
}
