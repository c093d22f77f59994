import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from './api-error.ts';
import type { Answer } from './responder/answer.ts';
import type { Prompt } from './responder/prompt.ts';

/** A validated request. Each format adds fields of its own. */
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

/** The argument of one write. */
export type Chunk = string | Uint8Array;

/** The chunks of an answer, in the order in which they are written. */
export interface Flow {
  /** Written when the answer begins. */
  opening: Chunk[];
  /** Written one interval after another. The chunks of one tick are written together. */
  ticks: Iterable<Chunk[]>;
  /** Written right after the last tick. Without the last chunk the answer is incomplete. */
  closing: Chunk[];
  /** What follows: the end of the response, an hour of silence, or a reset of the connection. */
  end?: 'close' | 'silence' | 'reset';
}

/** Reads the requests and writes the answers of a wire format. */
export interface Format<A extends ParsedRequest> {
  /** The vendor's status for overload. */
  overloaded: 429 | 503 | 529;
  /** Headers of every response. */
  headers(requestId: string): Record<string, string>;
  /** The credential that a client sent, in the format's own place. */
  key(headers: IncomingHttpHeaders, url: string): string | undefined;
  /** The error for an invalid key, 401 by default. */
  badKey?(): ApiError;
  /** True if the retry delay is in the body of an error and not in a header. */
  retryInBody?: boolean;
  /** @throws ApiError where the vendor would not make sense of the request */
  parse(body: unknown, headers: IncomingHttpHeaders, url: string): A;
  whole(parsed: A, answer: Answer): unknown;
  stream(parsed: A, answer: Answer): Flow;
  /** The body of an answer that says no. */
  errorBody(error: ApiError, requestId: string, url: string): unknown;
  /** The event for an error in the middle of a stream. */
  errorEvent(error: ApiError, requestId: string, at: StreamPosition<A>): string;
}

/** The part of a format that writes errors. */
export type ErrorFormat = Pick<Format<never>, 'headers' | 'key' | 'badKey' | 'retryInBody' | 'errorBody'>;
