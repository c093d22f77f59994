import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './mind/answer.ts';
import type { Prompt } from './mind/prompt.ts';
import type { Refusal } from './refusal.ts';

/** A request as a wire format reads it; formats add what their answers need to know. */
export interface Asked {
  prompt: Prompt;
  stream: boolean;
}

/** The writes of a streamed answer. */
export interface Flow {
  /** Written when the answer begins. */
  opening: string[];
  /** Written one after another, each an interval after the one before; what one holds belongs to one moment. */
  beats: Iterable<string[]>;
  /** Written right after the last beat. */
  closing: string[];
}

/** A wire format: how to read its requests and write its answers. Each is a folder with the same file names. */
export interface Format<A extends Asked> {
  /** The credential that a client sent, in the format's own place. */
  key(headers: IncomingHttpHeaders): string | undefined;
  /** @throws Refusal where not even the simulator can make sense of the body */
  parse(body: unknown): A;
  whole(asked: A, answer: Answer): unknown;
  stream(asked: A, answer: Answer): Flow;
  /** The body of an answer that says no. */
  refuse(refusal: Refusal): unknown;
}
