import type { Ask } from '../ask.ts';
import type { Reading } from '../got.ts';
import type { Json } from '../json.ts';

/** How a program that knows one format asks, and reads what comes. */
export interface Client {
  request(ask: Ask, model: string, stream: boolean): { path: string; body: Json };
  /** Adds a stream up to the body of a whole answer; an error in it becomes the body's `error`. Throws for what the format does not allow. */
  assemble(stream: string): Json;
  read(body: Json): Reading;
}
