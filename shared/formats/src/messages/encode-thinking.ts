import type { Reasoning } from '@model-gateway/canonical';
import { budgetOf, effortOf, nearest } from '../upstream/effort.ts';
import type { ModelTraits } from './models.ts';
import type { MessagesThinkingParam } from './params.ts';
import { type MessagesEffort, messagesEfforts } from './values.ts';

/** The thinking fields of a request body. */
export interface Thinking {
  thinking?: MessagesThinkingParam;
  effort?: MessagesEffort;
}

/** The smallest budget that upstreams accept, in tokens. */
const minBudget = 1_024;

export interface ThinkingContext {
  capabilities: ModelTraits;
  maxTokens: number;
  /** True if the model must call a tool. */
  forced: boolean;
  turns: readonly LoopTurn[];
}

/** Encodes reasoning settings for a model; returns `{}` if the request has none. */
export function thinking(reasoning: Reasoning | undefined, context: ThinkingContext): Thinking {
  if (mustNotThink(context)) return { thinking: { type: 'disabled' } };
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

function byBudget(
  reasoning: Reasoning,
  { capabilities, maxTokens, forced, turns }: ThinkingContext,
): Thinking {
  const { effort = reasoning.adaptive ? 'medium' : undefined } = reasoning;
  const requested = budgetOf({ ...reasoning, effort }) ?? 0;
  if (capabilities.thinksByDefault && effortOf(reasoning) === 'none')
    return { thinking: { type: 'disabled' } };
  if (requested <= 0 || maxTokens <= minBudget || forced || !beginsLoopWithThinking(turns)) return {};
  // A budget of all tokens would leave none for the answer.
  const most = Math.max(minBudget, Math.floor(maxTokens * 0.75));
  const budget = Math.min(Math.max(requested, minBudget), most);
  return {
    thinking: { type: 'enabled', budget_tokens: budget, display: hiddenIf(reasoning.show === false) },
  };
}

/** Requests thinking without text, for clients that drop it: upstreams refuse thinking that lost its text. */
function hiddenIf(dropped: boolean): 'omitted' | undefined {
  return dropped ? 'omitted' : undefined;
}

function adaptive(reasoning: Reasoning, { capabilities, forced }: ThinkingContext): Thinking {
  const { show } = reasoning;
  const effort = effortOf(reasoning);
  const level: Thinking = { effort: effort && nearest(effort, messagesEfforts) };
  if (effort === 'none') return capabilities.supportsThinkingOff ? { thinking: { type: 'disabled' } } : level;
  const enabled = effort !== undefined || reasoning.adaptive || show;
  if (forced || !enabled) return level;
  // These models omit the text of their thinking by default.
  const display = show ? 'summarized' : hiddenIf(show === false);
  return { ...level, thinking: { type: 'adaptive', display } };
}

/** True if a model would refuse a history because calls of it have lost the thinking before them. */
export function mustNotThink({
  capabilities,
  turns,
}: Pick<ThinkingContext, 'capabilities' | 'turns'>): boolean {
  return capabilities.callsNeedThinking === true && !turns.every(thinksBeforeCalls);
}

/** True if the last assistant turn has no tool calls or starts with thinking, as models with a budget require. */
export function beginsLoopWithThinking(turns: readonly LoopTurn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant');
  return !last || thinksBeforeCalls(last);
}

function thinksBeforeCalls({ content }: LoopTurn): boolean {
  if (typeof content === 'string' || !content.some(({ type }) => type === 'tool_use')) return true;
  return /^(redacted_)?thinking$/.test(content[0]?.type ?? '');
}

interface LoopTurn {
  role: string;
  content: string | readonly { type: string }[];
}
