/** Features of one generation of models. */
export interface ModelTraits {
  /** The kind of thinking: adaptive, up to a budget of tokens, or none. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** True if thinking can be disabled on an adaptive model. */
  supportsThinkingOff: boolean;
  /** True if a model with a budget thinks unless it is told not to. */
  thinksByDefault?: true;
  /** True if the model, while it thinks, refuses a history in which calls have no thinking before them. */
  callsNeedThinking?: true;
  /** True if the model accepts temperature, top_p and top_k. */
  sampling: boolean;
  /** True if the model supports structured output and strict tools. */
  schema: boolean;
}

const old: ModelTraits = { thinking: 'none', supportsThinkingOff: true, sampling: true, schema: false };
const budget: ModelTraits = { ...old, thinking: 'budget' };
/**
 * Traits of other vendors' models, whose API is that of the older models with a budget. Many think by default:
 * https://api-docs.deepseek.com/guides/thinking_mode (2026-11), https://docs.z.ai/guides/capabilities/thinking-mode (2026-11).
 */
const others: ModelTraits = { ...budget, thinksByDefault: true };
const newest: ModelTraits = {
  thinking: 'adaptive',
  supportsThinkingOff: true,
  sampling: false,
  schema: true,
};

/** Traits by the model's name at the upstream; the first match applies. */
const table: [RegExp, ModelTraits][] = [
  [/claude-(?:2|instant|3[-.]5|3-(?:opus|sonnet|haiku))/, old],
  [/claude-3/, budget],
  [/claude-(?:opus|sonnet|haiku)-4[-.]5/, { ...budget, schema: true }],
  [/claude-(?:opus|sonnet|haiku)-4[-.]6/, { ...newest, sampling: true }],
  [/claude-(?:opus|sonnet|haiku)-4[-.][7-9]/, newest],
  [/claude-(?:opus|sonnet|haiku)-4/, budget],
  [/claude-(?:opus|sonnet|haiku)-/, newest],
  [/claude/, { ...newest, supportsThinkingOff: false }],
  // The APIs of DeepSeek and Kimi in this format: NousResearch/hermes-agent#16149 and #13848 (2026-04).
  [/deepseek|kimi/i, { ...others, callsNeedThinking: true }],
];

/** Returns the traits of a model. */
export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? others;
}
