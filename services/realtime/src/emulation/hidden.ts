import type { ReasoningPart, Signature } from '@model-gateway/canonical';

/** Data of a model's item that is not sent to clients, but back to the model with the item. */
export interface Hidden {
  /** Reasoning before the item. */
  reasoning?: ReasoningPart[];
  signature?: Signature;
}
