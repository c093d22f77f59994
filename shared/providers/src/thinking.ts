import type { Effort } from '@model-gateway/canonical';

type Fields = Readonly<Record<string, unknown>>;

/** The control of thinking that some models have at a kind of provider, in one format. */
export interface ThinkingControl {
  /** The models by their names at the upstream; every model that no earlier row names, if absent. */
  models?: RegExp;
  /**
   * Thinking turned off: by top-level fields, or by the level `none`. Null if it cannot be turned off, so that the least is asked
   * for; `always` if the models do not think.
   */
  off: Fields | 'none' | 'always' | null;
  /** Top-level fields that turn thinking on, beside a level. */
  on?: Fields;
  /** The levels that the models take, the least first. */
  levels: readonly Effort[];
  /** The top-level field for a number of tokens, and its bounds. */
  budget?: { field: string; least: number; most: number };
  /** The turns of the assistant in a history that must have reasoning, of which an empty text is enough: those with calls, or all. */
  reasonedTurns?: 'calls' | 'all';
  /** The address of the vendor's document, SDK or server code. */
  source: string;
  /** The month in which the source said so. */
  seen: `${number}-${number}`;
}

/** Returns the control of a model's thinking; undefined if it is that of the format. */
export function thinkingControl(
  differences: { thinking?: readonly ThinkingControl[] } | undefined,
  model: string,
): ThinkingControl | undefined {
  return differences?.thinking?.find(({ models }) => !models || models.test(model));
}

/** OpenAI's open models, at any host. */
export const gptOss: ThinkingControl = {
  models: /gpt-oss/i,
  off: null,
  levels: ['low', 'medium', 'high'],
  source: 'https://github.com/openai/gpt-oss',
  seen: '2026-11',
};

/**
 * Fields of servers that hand them to the model's chat template. Templates have one of two names, and servers leave out the name that a
 * template does not have.
 */
export const templateThinks = (thinks: boolean): Fields => ({
  chat_template_kwargs: { enable_thinking: thinks, thinking: thinks },
});
