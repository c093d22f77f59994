import type { IncomingHttpHeaders } from 'node:http';
import type { ApiError } from './api-error.ts';
import type { Answer } from './responder/answer.ts';
import type { Prompt } from './responder/prompt.ts';

/** A request as a wire format reads it; formats add what their answers need to know. */
export interface ParsedRequest {
  prompt: Prompt;
  stream: boolean;
  /** The content type of a stream that is not of events. */
  streamType?: string;
}

/** Where a stream is interrupted. */
export interface StreamPosition<A extends ParsedRequest> {
  parsed: A;
  answer: Answer;
  /** How many pieces were written before. */
  written: number;
}

/** What is written at once. */
export type Chunk = string | Uint8Array;

/** The writes of an answer. */
export interface Flow {
  /** Written when the answer begins. */
  opening: Chunk[];
  /** Written one after another, each an interval after the one before; what one holds belongs to one moment. */
  ticks: Iterable<Chunk[]>;
  /** Written right after the last beat; the last piece is what tells a reader that the answer is whole. */
  closing: Chunk[];
  /** What comes after that: the end of the response, no more for an hour, or a reset of the connection. */
  end?: 'close' | 'silence' | 'reset';
}

/** A wire format: how to read its requests and write its answers. Each is a folder with the same file names. */
export interface Format<A extends ParsedRequest> {
  /** The status with which the vendor says that it has too much to do. */
  overloaded: 429 | 503 | 529;
  /** What every answer has. */
  headers(requestId: string): Record<string, string>;
  /** The credential that a client sent, in the format's own place. */
  key(headers: IncomingHttpHeaders, url: string): string | undefined;
  /** What is said of a wrong key; 401 unless the format has something else. */
  badKey?(): ApiError;
  /** Whether errors say in their body when to come again, and not in a header. */
  retryInBody?: boolean;
  /** @throws ApiError where the vendor would not make sense of the request */
  parse(body: unknown, headers: IncomingHttpHeaders, url: string): A;
  whole(parsed: A, answer: Answer): unknown;
  stream(parsed: A, answer: Answer): Flow;
  /** The body of an answer that says no. */
  errorBody(error: ApiError, requestId: string, url: string): unknown;
  /** The event that says no in the middle of a stream. */
  errorEvent(error: ApiError, requestId: string, at: StreamPosition<A>): string;
}

/** What a refusal needs to know of a format. */
export type ErrorFormat = Pick<Format<never>, 'headers' | 'key' | 'badKey' | 'retryInBody' | 'errorBody'>;
