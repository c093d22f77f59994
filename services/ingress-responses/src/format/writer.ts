import type { Ending, GatewayError, PartEndEvent, PartStart } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';

export type PartOver = Pick<PartEndEvent, 'index' | 'signature' | 'citations'>;

/** How an output ended. */
export interface OutputEnd {
  /** Its last events. */
  text: string;
  /** Why it is not whole, if it is not. */
  incomplete: { reason: string } | null;
  /** Why it is none. */
  failed?: GatewayError;
}

/** Writes the parts of an answer as the items of an output; each step returns the events that it adds. */
export interface OutputWriter {
  /** The items that are over. */
  readonly items: { type: string; id?: string }[];
  start(index: number, part: PartStart): string;
  add(index: number, text: string): string;
  end(part: PartOver): string;
  finish(ending: Ending): OutputEnd;
}

/** Begins the output of one answer. */
export type MakeOutput = (requestId: string, frame: Frame) => OutputWriter;

export type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** Writes one part of an answer, from its turn on. */
export interface PartWriter {
  /** What shows it before it has any text. */
  begin?(): string;
  /** More of its text, which is not empty. */
  write(text: string): string;
  end(end: PartEnd): string;
}

/** Writes one event of a stream, with its number. */
export type Frame = (type: string, fields: Record<string, unknown>) => string;

/** One event: clients need both its name and the type in its data. */
export function frame(type: string, number: number, fields: Record<string, unknown>): string {
  return sseEvent(dataJson({ type, sequence_number: number, ...fields }), type);
}
