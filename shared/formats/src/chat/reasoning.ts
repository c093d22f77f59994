import { type Reasoning, efforts as reasoningEfforts, type Signature } from '@model-gateway/canonical';

/**
 * A detail of reasoning, which is sent back as it came: text, a summary, or data that only the vendor can read (`ReasoningDetail` in
 * OpenRouter's SDK, `reasoning_details` in MiniMax's API).
 */
export type ChatReasoningDetail = Record<string, unknown>;

/** Returns the details in a list; entries that are no objects are left out. */
export function readReasoningDetails(value: unknown): ChatReasoningDetail[] {
  if (!Array.isArray(value)) return [];
  return value.filter(detail => typeof detail === 'object' && detail !== null);
}

/** Returns the text of a detail; empty for one that holds none. */
export function reasoningText({ text, summary }: ChatReasoningDetail): string {
  const value = text ?? summary;
  return typeof value === 'string' ? value : '';
}

export function isEncryptedReasoning({ type }: ChatReasoningDetail): boolean {
  return type === 'reasoning.encrypted';
}

/** Joins the fields of a detail that arrives in pieces, without its text. */
export function joinedReasoning(
  earlier: ChatReasoningDetail | undefined,
  { text: _, summary: __, ...more }: ChatReasoningDetail,
): ChatReasoningDetail {
  const set = Object.entries(more).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(set) };
}

/** Returns a detail without its text as the signature of that text. */
export function reasoningSignature(detail: ChatReasoningDetail): Signature {
  return { format: 'chat', value: JSON.stringify(joinedReasoning(undefined, detail)) };
}

/** Returns the detail whose text has a signature of {@link reasoningSignature}; undefined for any other signature. */
export function signedReasoning(
  signature: Signature | undefined,
  text: string,
): ChatReasoningDetail | undefined {
  if (signature?.format !== 'chat') return undefined;
  const [detail] = readReasoningDetails([parsed(signature.value)]);
  if (!detail || isEncryptedReasoning(detail)) return detail;
  return { ...detail, [detail.type === 'reasoning.summary' ? 'summary' : 'text']: text };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Values of `reasoning_effort` in OpenAI's format; each model accepts some of them. */
export { reasoningEfforts };

/** A wish about thinking: a level, a number of tokens, or as much as the model decides. */
export type ThinkingWish = Omit<Reasoning, 'show'>;

/** Other values of `reasoning_effort` that servers take: Groq's, LiteLLM's and DeepSeek's. */
const otherLevels = {
  default: { adaptive: true },
  disable: { effort: 'none' },
  ultra: { effort: 'max' },
} as const satisfies Record<string, ThinkingWish>;

/** The values of `reasoning_effort` that have a meaning for other vendors. */
export const knownEfforts = [
  ...reasoningEfforts,
  ...(Object.keys(otherLevels) as (keyof typeof otherLevels)[]),
] as const;

/** Returns the wish of a value of `reasoning_effort`; undefined for a value that only a server may know. */
export function effortWish(value: unknown): ThinkingWish | undefined {
  const level = reasoningEfforts.find(effort => effort === value);
  if (level) return { effort: level };
  return Object.hasOwn(otherLevels, String(value))
    ? otherLevels[value as keyof typeof otherLevels]
    : undefined;
}

/** Fields of chat servers about thinking, OpenAI's first. */
export const thinkingFields = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'chat_template_kwargs',
] as const;

/** Returns the wish about thinking in a body of chat, in the fields of any server. Thinking that one of them turns off is off. */
export function thinkingWish(body: Record<string, unknown>): ThinkingWish | undefined {
  const template = membersOf(body.chat_template_kwargs);
  const wishes = [
    effortWish(body.reasoning_effort),
    ofOpenRouter(membersOf(body.reasoning)),
    ofAnthropic(membersOf(body.thinking)),
    switched(body.enable_thinking, body.thinking_budget),
    switched(template.enable_thinking ?? template.thinking, template.thinking_budget),
  ].filter(wish => wish !== undefined);
  return wishes.find(({ effort }) => effort === 'none') ?? wishes[0];
}

/** Reads `reasoning` of OpenRouter and Together. */
function ofOpenRouter({ enabled, effort, max_tokens }: Record<string, unknown>): ThinkingWish | undefined {
  return enabled === false ? { effort: 'none' } : (effortWish(effort) ?? switched(enabled, max_tokens));
}

/** Reads `thinking` of Anthropic, which DeepSeek, Z.ai, Moonshot and Volcengine have in chat, too. */
function ofAnthropic({ type, budget_tokens }: Record<string, unknown>): ThinkingWish | undefined {
  if (type === 'disabled') return { effort: 'none' };
  return switched(type === 'enabled' || type === 'adaptive' || type === 'auto' || undefined, budget_tokens);
}

/** Reads a switch and a number of tokens, as of DashScope, SiliconFlow and servers of chat templates. */
function switched(thinks: unknown, budget: unknown): ThinkingWish | undefined {
  if (thinks === false || budget === 0) return { effort: 'none' };
  if (typeof budget === 'number' && budget > 0) return { budget };
  return thinks === true ? { adaptive: true } : undefined;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
