import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './mind/answer.ts';
import type { Prompt } from './mind/prompt.ts';
import type { Refusal } from './refusal.ts';

/** A request as a wire format reads it; formats add what their answers need to know. */
export interface Asked {
  prompt: Prompt;
  stream: boolean;
  /** The content type of a stream that is not of events. */
  streamType?: string;
}

/** Where a stream is interrupted. */
export interface Interruption<A extends Asked> {
  asked: A;
  answer: Answer;
  /** How many pieces were written before. */
  written: number;
}

/** What is written at once. */
export type Piece = string | Uint8Array;

/** The writes of an answer. */
export interface Flow {
  /** Written when the answer begins. */
  opening: Piece[];
  /** Written one after another, each an interval after the one before; what one holds belongs to one moment. */
  beats: Iterable<Piece[]>;
  /** Written right after the last beat; the last piece is what tells a reader that the answer is whole. */
  closing: Piece[];
  /** What comes after that: the end of the response, no more for an hour, or a reset of the connection. */
  end?: 'close' | 'silence' | 'reset';
}

/** A wire format: how to read its requests and write its answers. Each is a folder with the same file names. */
export interface Format<A extends Asked> {
  /** The status with which the vendor says that it has too much to do. */
  overloaded: 429 | 503 | 529;
  /** What every answer has. */
  headers(requestId: string): Record<string, string>;
  /** The credential that a client sent, in the format's own place. */
  key(headers: IncomingHttpHeaders, url: string): string | undefined;
  /** What is said of a wrong key; 401 unless the format has something else. */
  badKey?(): Refusal;
  /** Whether errors say in their body when to come again, and not in a header. */
  retryInBody?: boolean;
  /** @throws Refusal where the vendor would not make sense of the request */
  parse(body: unknown, headers: IncomingHttpHeaders, url: string): A;
  /** What has to be made before an answer can be written. @throws Refusal */
  prepare?(asked: A): Promise<A>;
  whole(asked: A, answer: Answer): unknown;
  stream(asked: A, answer: Answer): Flow;
  /** The body of an answer that says no. */
  refuse(refusal: Refusal, requestId: string, url: string): unknown;
  /** The event that says no in the middle of a stream. */
  interrupt(refusal: Refusal, requestId: string, at: Interruption<A>): string;
}

/** What a refusal needs to know of a format. */
export type Refusing = Pick<Format<never>, 'headers' | 'key' | 'badKey' | 'retryInBody' | 'refuse'>;
