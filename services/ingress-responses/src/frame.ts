import { dataJson, sseEvent } from '@model-gateway/sse';

/** Writes one event of a stream, with its number. */
export type Frame = (type: string, fields: Record<string, unknown>) => string;

/** One event: clients need both its name and the type in its data. */
export function frame(type: string, number: number, fields: Record<string, unknown>): string {
  return sseEvent(dataJson({ type, sequence_number: number, ...fields }), type);
}
