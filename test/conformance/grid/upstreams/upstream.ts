import type { Ask } from '../ask.ts';
import type { Json } from '../json.ts';

/** Reads the requests that an upstream of one format received. */
export interface Upstream {
  /** The name of a model with this `behaviour`, of a generation with most features. */
  model(behaviour: string): string;
  /** Removes what only concerns the response: the model and whether to stream. */
  read(body: Json): Ask;
}
