import { dataJson, sseEvent } from '@model-gateway/sse';

/** One event of a stream: clients need both its name and the type in its data. */
export function frame(type: string, fields: Record<string, unknown>): string {
  return sseEvent(dataJson({ type, ...fields }), type);
}
