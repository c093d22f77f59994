import type { Ending, GatewayError, PartEndEvent, PartStart } from '@model-gateway/canonical';
import { dataJson, sseEvent } from '@model-gateway/sse';

export type PartOver = Pick<PartEndEvent, 'index' | 'signature' | 'citations'>;

/** The end of an output. */
export interface OutputEnd {
  /** Its last events. */
  text: string;
  /** The reason if the output is incomplete, else null. */
  incomplete: { reason: string } | null;
  /** Set if the response failed. */
  failed?: GatewayError;
}

/** Writes parts as output items. Each method returns the events that it adds. */
export interface OutputWriter {
  /** The closed items. */
  readonly items: { type: string; id?: string }[];
  start(index: number, part: PartStart): string;
  add(index: number, text: string): string;
  end(part: PartOver): string;
  finish(ending: Ending): OutputEnd;
}

/** Creates the output of one response. */
export type MakeOutput = (requestId: string, frame: Frame) => OutputWriter;

export type PartEnd = Pick<PartEndEvent, 'signature' | 'citations'>;

/** Writes one part, after the parts before it have ended. */
export interface PartWriter {
  /** Opens the part before it has text. */
  begin?(): string;
  /** Adds text, which is not empty. */
  write(text: string): string;
  end(end: PartEnd): string;
}

/** Writes one event of a stream and numbers it. Its fields are an object, or JSON members as text. */
export type Frame = (type: string, fields: Record<string, unknown> | string) => string;

/** Renders one event. Clients need both the event name and the type in its data. */
export function frame(type: string, number: number, fields: Record<string, unknown> | string): string {
  if (typeof fields === 'string')
    return sseEvent(`{"type":"${type}","sequence_number":${number},${fields}}`, type);
  return sseEvent(dataJson({ type, sequence_number: number, ...fields }), type);
}
