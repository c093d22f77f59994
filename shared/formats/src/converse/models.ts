import type { Effort } from '@model-gateway/canonical';
import { openaiThinking, thinkingControl } from '@model-gateway/providers';
import { nearest } from '../upstream/effort.ts';

/** The capabilities of one family of models beyond those that Converse has for all. */
export interface ModelTraits {
  /** True if it takes cache breakpoints; others refuse the request. */
  caches: boolean;
  /** True if a cache breakpoint may have a time to live. */
  cacheTtl: boolean;
  /** True if it takes a schema of its answer and strict tools; others get the answer tool. */
  schema: boolean;
  /** True if it takes stop sequences; others are cut by the gateway. */
  stops: boolean;
  /** True if it takes temperature and top_p. */
  sampling: boolean;
  /** True if the ids of tool calls must be nine letters and digits. */
  shortIds: boolean;
  /** Returns the additional fields for top_k; undefined if it has none. */
  topK?(topK: number): Record<string, unknown>;
  /** Returns the additional fields for the effort of reasoning; undefined if it has none. */
  effort?(effort: Effort, context: { model: string; limited: boolean }): Record<string, unknown>;
}

const usual: ModelTraits = {
  caches: false,
  cacheTtl: false,
  schema: false,
  stops: true,
  sampling: true,
  shortIds: false,
};

const threeLevels: readonly Effort[] = ['low', 'medium', 'high'];

/** OpenAI's models have three levels on Bedrock, beside that for no thinking of those that have it at OpenAI. */
const openaiLevel = (effort: Effort, model: string) => {
  const control = thinkingControl({ thinking: openaiThinking }, model);
  return effort === 'none' && control?.off === 'none' ? effort : nearest(effort, threeLevels);
};

const novaTopK = (topK: number) => ({ inferenceConfig: { topK } });

/** Nova 2 takes no limit of tokens with a high effort, so a request with a limit gets a medium one. */
const novaEffort: ModelTraits['effort'] = (effort, { limited }) => {
  if (effort === 'none') return { reasoningConfig: { type: 'disabled' } };
  const wanted = nearest(effort, threeLevels);
  const maxReasoningEffort = limited && wanted === 'high' ? 'medium' : wanted;
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort } };
};

/**
 * Traits by the model's name; the first match applies. Sources: the pages of each model's parameters, of prompt caching and of
 * structured outputs in the user guide of Bedrock, and @ai-sdk/amazon-bedrock for OpenAI's models and Mistral's ids.
 */
const table: [RegExp, ModelTraits][] = [
  [/anthropic\./, { ...usual, caches: true, cacheTtl: true, topK: top_k => ({ top_k }) }],
  [/amazon\.nova-2/, { ...usual, caches: true, topK: novaTopK, effort: novaEffort }],
  [/amazon\.nova/, { ...usual, caches: true, topK: novaTopK }],
  [
    /openai\.gpt-oss/,
    {
      ...usual,
      schema: true,
      stops: false,
      effort: (effort, { model }) => ({ reasoning_effort: openaiLevel(effort, model) }),
    },
  ],
  [
    /openai\./,
    {
      ...usual,
      schema: true,
      stops: false,
      sampling: false,
      effort: (effort, { model }) => ({ reasoning: { effort: openaiLevel(effort, model) } }),
    },
  ],
  [
    /mistral\.(?:magistral|ministral|mistral-large-3|voxtral)/,
    { ...usual, schema: true, shortIds: true, topK: top_k => ({ top_k }) },
  ],
  [/mistral\./, { ...usual, shortIds: true, topK: top_k => ({ top_k }) }],
  [/cohere\./, { ...usual, topK: k => ({ k }) }],
  [/(?:qwen|deepseek|google|minimax|nvidia|moonshot|moonshotai|zai)\./, { ...usual, schema: true }],
];

export function modelTraits(model: string): ModelTraits {
  return table.find(([pattern]) => pattern.test(model))?.[1] ?? usual;
}
