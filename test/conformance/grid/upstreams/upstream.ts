import type { Ask } from '../ask.ts';
import type { Json } from '../json.ts';

/** What an upstream of one format makes of a request that reached it. */
export interface Upstream {
  /** The name of a model that does what `behaviour` says, of a generation that can do most. */
  model(behaviour: string): string;
  /** Without what says how to answer and not what: the model, and whether to stream. */
  read(body: Json): Ask;
}
