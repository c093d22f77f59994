import { type ErrorDetails, type ErrorKind, GatewayError } from '../errors.ts';
import type { Usage } from '../usage.ts';

/** Why a model stopped, in one vocabulary for all formats. */
export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

/** Bytes of the upstream's own answer, for a client that speaks its format. */
export interface VerbatimEvent {
  type: 'verbatim';
  bytes: Uint8Array;
  /** On the first event of a whole answer: what the client's response is made of. */
  whole?: { status: number; mediaType: string; length: number };
  /** The bytes end inside an SSE event or a whole body: nothing else may be written before the next `verbatim`. */
  partial?: boolean;
}

/** The end of a good answer: the only event that makes an answer complete. */
export interface FinishEvent {
  type: 'finish';
  reason: FinishReason;
  /** The upstream's own word for the reason. */
  raw: string | null;
  usage: Usage | null;
}

/** The end of a failed answer: a {@link GatewayError} on its way over the bus. */
export interface ErrorEvent extends ErrorDetails {
  type: 'error';
  kind: ErrorKind;
  message: string;
}

export function toErrorEvent(error: GatewayError): ErrorEvent {
  return { type: 'error', kind: error.kind, message: error.message, ...error.details };
}

export function fromErrorEvent({ type: _, kind, message, ...details }: ErrorEvent): GatewayError {
  return new GatewayError(kind, message, details);
}

/** An answer is a run of these; `finish` or `error` is the last one. */
export type GenerateEvent = VerbatimEvent | FinishEvent | ErrorEvent;
