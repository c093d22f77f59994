import { type ErrorDetails, type ErrorKind, GatewayError } from '../errors.ts';
import type { Result } from '../operation.ts';
import type { Usage } from '../usage.ts';
import type { Citation, OpaquePart, Part, Signature } from './part.ts';

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

/** Which of several answers to one request an event is of; the first, 0, where absent. */
interface OfChoice {
  choice?: number;
}

/** Parts are numbered from 0 in the order in which they begin within their choice. Those of parallel tool calls may interleave. */
export interface PartStartEvent extends OfChoice {
  type: 'part-start';
  index: number;
  part: PartStart;
}

export interface PartDeltaEvent extends OfChoice {
  type: 'part-delta';
  index: number;
  /** More of a part's text, or of a tool call's arguments. */
  text: string;
}

export interface PartEndEvent extends OfChoice {
  type: 'part-end';
  index: number;
  signature?: Signature;
  /** Of a text. */
  citations?: Citation[];
}

/** Bytes of the upstream's own answer, for a client that speaks its format. */
export interface VerbatimEvent {
  type: 'verbatim';
  bytes: Uint8Array;
  /** On the first event of a whole answer: what the client's response is made of. */
  whole?: {
    status: number;
    mediaType: string;
    /** In bytes; absent where it is known only at the end. */
    length?: number;
  };
  /** The bytes end inside an SSE event or a whole body: nothing else may be written before the next `verbatim`. */
  partial?: boolean;
  /** A session's message that is text. */
  text?: boolean;
}

/** All of an answer that comes in one piece. */
export interface ResultEvent {
  type: 'result';
  result: Result;
}

/** How a choice ended. */
export interface Ending {
  reason: FinishReason;
  /** The upstream's own word for the reason. */
  raw: string | null;
  /** The stop sequence that was met, where the upstream says. */
  stopSequence?: string;
  /** Why it refused, where the upstream says. */
  explanation?: string;
}

/** The end of a choice other than the first, whose end is in {@link FinishEvent}. */
export interface ChoiceEndEvent extends Ending {
  type: 'choice-end';
  choice: number;
}

/** The end of a good answer, and of its first choice: the only event that makes an answer complete. */
export interface FinishEvent extends Ending {
  type: 'finish';
  /** Of all choices. */
  usage: Usage | null;
  /** How an upstream closed a session. */
  closed?: { code: number; reason: string };
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
  | ChoiceEndEvent
  | VerbatimEvent
  | ResultEvent
  | FinishEvent
  | ErrorEvent;

export function toErrorEvent(error: GatewayError): ErrorEvent {
  return { type: 'error', kind: error.kind, message: error.message, ...error.details };
}

export function fromErrorEvent({ type: _, kind, message, ...details }: ErrorEvent): GatewayError {
  return new GatewayError(kind, message, details);
}
