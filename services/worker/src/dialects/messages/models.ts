/** What the models of one generation take. */
export interface ModelTraits {
  /** How a model is asked to think: as much as it sees fit, up to a number of tokens, or not at all. */
  thinking: 'adaptive' | 'budget' | 'none';
  /** Whether an adaptive model can be told not to think. */
  supportsThinkingOff: boolean;
  /** Whether it takes temperature, top_p and top_k. */
  sampling: boolean;
  /** Whether it keeps to a schema, in its answers and in its tool calls. */
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

/** By the model's name at the upstream; the first that matches counts. */
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

/** What a model takes; one of another vendor is asked as the older models are, which is what those vendors follow. */
export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? budget;
}
