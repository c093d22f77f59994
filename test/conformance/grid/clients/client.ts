import type { Ask } from '../ask.ts';
import type { Reading } from '../got.ts';
import type { Json } from '../json.ts';

/** A program that knows one format: it sends requests and reads responses. */
export interface Client {
  request(ask: Ask, model: string, stream: boolean): { path: string; body: Json };
  /**
   * Joins a stream into the body of a non-streamed response; an error in it becomes the body's `error`.
   * Throws if the stream violates the format.
   */
  assemble(stream: string): Json;
  read(body: Json): Reading;
}
