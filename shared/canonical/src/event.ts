import { type ErrorDetails, type ErrorKind, GatewayError } from './errors.ts';
import { type FieldNames, renamePath } from './field-path.ts';
import type { Citation, FinishReason, OpaquePart, Part, Signature } from './generate.ts';
import type { AudioEvent, Result } from './operations.ts';
import type { Usage } from './usage.ts';

/** The start of an answer. */
export interface StartEvent {
  type: 'start';
  /** The upstream's id of the answer. */
  id: string;
  /** The model's name in the upstream's response. */
  model: string;
  /** Input token counts, as far as known at the start. */
  usage?: Usage;
}

/** The head of a part; its text follows in deltas. */
export type PartStart =
  | { type: 'text' | 'reasoning' | 'refusal' }
  | { type: 'tool-call'; id: string; name: string; custom?: boolean }
  /** Reasoning without text: the vendor sends only its signature. */
  | { type: 'reasoning'; redacted: true }
  | OpaquePart
  | Extract<Part, { type: 'media' }>;

/** Index of the choice that an event belongs to; absent for the first, 0. */
interface OfChoice {
  choice?: number;
}

/**
 * Parts are numbered from 0 within their choice, in order of their start. Parallel tool calls may interleave.
 */
export interface PartStartEvent extends OfChoice {
  type: 'part-start';
  index: number;
  part: PartStart;
}

export interface PartDeltaEvent extends OfChoice {
  type: 'part-delta';
  index: number;
  /** The next piece of a part's text, or of a tool call's arguments. */
  text: string;
}

export interface PartEndEvent extends OfChoice {
  type: 'part-end';
  index: number;
  signature?: Signature;
  /** Citations of a text part. */
  citations?: Citation[];
}

/** Unchanged bytes of the upstream's response, for a client of the same format. */
export interface VerbatimEvent {
  type: 'verbatim';
  bytes: Uint8Array;
  /** Set on the first event of a whole response: the head of the client's HTTP response. */
  whole?: {
    status: number;
    mediaType: string;
    /** Content length in bytes; absent if it is known only at the end. */
    length?: number;
  };
  /** True if the bytes end inside an SSE event or a body: write nothing else before the next `verbatim`. */
  partial?: boolean;
  /** True for a text message of a session. */
  text?: boolean;
}

/** The complete result of an operation that is not streamed. */
interface ResultEvent {
  type: 'result';
  result: Result;
}

/** The end of a choice. */
export interface Ending {
  reason: FinishReason;
  /** The reason in the upstream's terms. */
  raw: string | null;
  /** The stop sequence that the model reached, if the upstream reports it. */
  stopSequence?: string;
  /** The reason for a refusal, if the upstream reports it. */
  explanation?: string;
}

/** The end of a choice other than the first, which ends with {@link FinishEvent}. */
export interface ChoiceEndEvent extends Ending {
  type: 'choice-end';
  choice: number;
}

/** The end of a successful answer and of its first choice. Only this event makes an answer complete. */
export interface FinishEvent extends Ending {
  type: 'finish';
  /** Usage of all choices. */
  usage: Usage | null;
  /** Close code and reason of the upstream's session. */
  closed?: { code: number; reason: string };
}

/** The end of a failed answer: a {@link GatewayError} as sent over the bus. */
export interface ErrorEvent extends ErrorDetails {
  type: 'error';
  kind: ErrorKind;
  message: string;
  /** The message with a placeholder for the name of the field, where the message has the canonical name. */
  template?: string;
}

/** One event of an answer; `finish` or `error` is the last. */
export type GenerateEvent =
  | StartEvent
  | PartStartEvent
  | PartDeltaEvent
  | PartEndEvent
  | ChoiceEndEvent
  | VerbatimEvent
  | AudioEvent
  | ResultEvent
  | FinishEvent
  | ErrorEvent;

/** Returns an error as it is sent over the bus: `param` and the message have the canonical name of the field. */
export function toErrorEvent({ kind, message, details }: GatewayError): ErrorEvent {
  const { path, param } = details;
  return {
    type: 'error',
    kind,
    message,
    ...details,
    ...(path && { param: path }),
    ...(path && param === undefined && { message: nameField(message, path), template: message }),
  };
}

/** Returns the error of an event. `names` are the client's names of fields, for `param` and the message. */
export function fromErrorEvent(event: ErrorEvent, names: FieldNames = {}): GatewayError {
  const { type: _, kind, message, template, path, ...details } = event;
  if (path === undefined) return new GatewayError(kind, message, details);
  const param = renamePath(path, names) ?? path;
  return new GatewayError(kind, template ? nameField(template, param) : message, { ...details, param });
}

/** Writes the name of the field into a message. */
function nameField(template: string, name: string): string {
  return template.replace('{path}', () => name);
}

/** Returns the events of a result. */
export function resultEvents(result: Result, usage: Usage | null): [ResultEvent, FinishEvent] {
  return [
    { type: 'result', result },
    { type: 'finish', reason: 'stop', raw: null, usage },
  ] satisfies GenerateEvent[] as [ResultEvent, FinishEvent];
}
