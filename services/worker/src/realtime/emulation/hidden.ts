import type { ReasoningPart, Signature } from '@model-gateway/canonical';

/** What belongs to an item of the model's and is shown to no client: the model wants it back with the item. */
export interface Hidden {
  /** What it thought before. */
  thoughts?: ReasoningPart[];
  signature?: Signature;
}
