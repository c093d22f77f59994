import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import type { Answer, Run, Step } from '../responder/answer.ts';
import type { Prompt } from '../responder/prompt.ts';
import type { ApiError } from './api-error.ts';

/** A validated request. Each format adds fields. */
export interface ParsedRequest {
  prompt: Prompt;
  stream: boolean;
  /** The content type, unless it is server-sent events. */
  streamType?: string;
}

/** The place at which a stream fails. */
export interface StreamPosition<A extends ParsedRequest> {
  parsed: A;
  answer: Answer;
  /** Chunks written before the error. */
  written: number;
}

/** The data of one write to the network. */
export type Chunk = string | Uint8Array;

/** The chunks of an answer, in the order in which they are written. */
export interface Flow {
  opening: Chunk[];
  /** Written one interval after another. The chunks of one tick are written together. */
  ticks: Iterable<Chunk[]>;
  /** Written right after the last tick, and read then. Without the last chunk the answer is incomplete. */
  closing: Iterable<Chunk>;
  /** After the last chunk: the end of the response, an hour of silence, or a reset of the connection. */
  end?: 'close' | 'silence' | 'reset';
}

/** Returns a flow with other chunks in the place of each. */
export function mapped(flow: Flow, chunks: (chunk: Chunk) => Chunk[]): Flow {
  return {
    opening: flow.opening.flatMap(chunks),
    ticks: Iterator.from(flow.ticks).map(tick => tick.flatMap(chunks)),
    closing: Iterator.from(flow.closing).flatMap(chunks),
  };
}

/** Returns all chunks but the last. */
export function* withoutLast(chunks: Iterable<Chunk>): Generator<Chunk> {
  let before: Chunk | undefined;
  for (const chunk of chunks) {
    if (before !== undefined) yield before;
    before = chunk;
  }
}

/** The events of one run of an answer. */
export interface RunEvents {
  run: Run;
  opening: string[];
  delta(step: Step, at: number): string[];
  closing: string[];
}

/** A tick for each token. A run begins with its first token and ends with the first token of the next run. */
export function* ticksOf(runs: readonly RunEvents[]): Generator<string[]> {
  let before: string[] = [];
  for (const { run, opening, delta, closing } of runs) {
    for (const [at, step] of run.steps.entries())
      yield at === 0 ? [...before, ...opening, ...delta(step, at)] : delta(step, at);
    before = closing;
  }
}

/** The status of overload and the part of a format that writes errors. */
export interface ErrorFormat {
  overloaded: 429 | 503 | 529;
  /** Headers of every response. */
  headers(requestId: string): Record<string, string>;
  /** Returns the credential that the client sent. */
  key(headers: IncomingHttpHeaders, url: string): string | undefined;
  /** The error for an invalid key, 401 by default. */
  badKey?(): ApiError;
  /** True if the retry delay is in the body of an error and not in a header. */
  retryInBody?: boolean;
  errorBody(error: ApiError, requestId: string, url: string): unknown;
  /** Returns the headers of an error. */
  errorHeaders?(error: ApiError): Record<string, string>;
  /** Checks the signature of a request. @throws ApiError as the vendor would */
  authorize?(request: Request, body: string): void;
}

/** Reads the requests and writes the answers of a wire format. */
export interface Format<A extends ParsedRequest> extends ErrorFormat {
  /** @throws ApiError as the vendor would */
  parse(body: unknown, headers: IncomingHttpHeaders, url: string): A;
  whole(parsed: A, answer: Answer): unknown;
  stream(parsed: A, answer: Answer): Flow;
  /** The event for an error in the middle of a stream. */
  errorEvent(error: ApiError, requestId: string, at: StreamPosition<A>): Chunk;
}
