import { type ErrorDetails, type ErrorKind, GatewayError } from '../errors.ts';
import type { Usage } from '../usage.ts';
import type { OpaquePart, Part, Signature } from './part.ts';

/** Why a model stopped, in one vocabulary for all formats. */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'other';

/** The answer begins. */
export interface StartEvent {
  type: 'start';
  /** The upstream's id for it. */
  id: string;
  /** The model as the upstream names it. */
  model: string;
  /** What is known of the input's tokens at this time. */
  usage?: Usage;
}

/** What a part is when it begins; its text follows in deltas. */
export type PartStart =
  | { type: 'text' | 'reasoning' | 'refusal' }
  | { type: 'tool-call'; id: string; name: string; custom?: boolean }
  /** Shown to nobody; the signature is all of it. */
  | { type: 'reasoning'; redacted: true }
  | OpaquePart
  | Extract<Part, { type: 'media' }>;

/** Parts are numbered from 0 in the order in which they begin. Those of parallel tool calls may interleave. */
export interface PartStartEvent {
  type: 'part-start';
  index: number;
  part: PartStart;
}

export interface PartDeltaEvent {
  type: 'part-delta';
  index: number;
  /** More of a part's text, or of a tool call's arguments. */
  text: string;
}

export interface PartEndEvent {
  type: 'part-end';
  index: number;
  signature?: Signature;
}

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
  /** The stop sequence that was met, where the upstream says. */
  stopSequence?: string;
  /** Why it refused, where the upstream says. */
  explanation?: string;
}

/** The end of a failed answer: a {@link GatewayError} on its way over the bus. */
export interface ErrorEvent extends ErrorDetails {
  type: 'error';
  kind: ErrorKind;
  message: string;
}

/** An answer is a run of these; `finish` or `error` is the last one. */
export type GenerateEvent =
  | StartEvent
  | PartStartEvent
  | PartDeltaEvent
  | PartEndEvent
  | VerbatimEvent
  | FinishEvent
  | ErrorEvent;

export function toErrorEvent(error: GatewayError): ErrorEvent {
  return { type: 'error', kind: error.kind, message: error.message, ...error.details };
}

export function fromErrorEvent({ type: _, kind, message, ...details }: ErrorEvent): GatewayError {
  return new GatewayError(kind, message, details);
}
