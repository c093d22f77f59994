/** Features of one generation of models. */
export interface ModelTraits {
  /** The kind of thinking: adaptive, up to a budget of tokens, or none. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** True if thinking can be disabled on an adaptive model. */
  supportsThinkingOff: boolean;
  /** True if the model accepts temperature, top_p and top_k. */
  sampling: boolean;
  /** True if the model supports structured output and strict tools. */
  schema: boolean;
}

const old: ModelTraits = { thinking: 'none', supportsThinkingOff: true, sampling: true, schema: false };
const budget: ModelTraits = { ...old, thinking: 'budget' };
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
];

/** Returns the traits of a model. Other vendors implement the API of the older models with a budget. */
export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? budget;
}
