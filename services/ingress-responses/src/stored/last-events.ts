import { sseEvent } from '@model-gateway/sse';
import { statusOf } from './turn.ts';

/** An event that holds a response. */
export function responseEvent(type: string, response: string, number: number): string {
  return sseEvent(`{"type":"${type}","sequence_number":${number},"response":${response}}`, type);
}

/** What ends the stream of a response that is over. */
export function lastEvents(response: string, number: number): string {
  const status = statusOf({ response });
  // The format has no event for one that was cancelled, and clients stop at types they do not know.
  const type = `response.${status === 'cancelled' ? 'incomplete' : status}`;
  const event = responseEvent(type, response, number);
  // What failed has no mark of a good end.
  return status === 'failed' ? event : event + doneMark;
}

/** The mark after the last event of a good stream, which not every upstream sends. */
export const doneMark = sseEvent('[DONE]');
