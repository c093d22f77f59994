import type { Ending, GatewayError, PartEndEvent, PartStart } from '@model-gateway/canonical';
import type { Frame } from '../frame.ts';

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
