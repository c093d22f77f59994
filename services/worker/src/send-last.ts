import type { ServedCall } from '@model-gateway/bus';
import { type GenerateEvent, isLargeJson, writeInSteps } from '@model-gateway/canonical';
import { nextTurn } from '@model-gateway/service';

/** A call whose last events may be sent as JSON; where that is absent, they stay in this process. */
export type SendsLast = Pick<ServedCall, 'envelope' | 'send'> & Partial<Pick<ServedCall, 'sendWritten'>>;

/** True if the last events of an answer are so large that they are sent in steps. */
export function isLargeLast(call: SendsLast, events: readonly GenerateEvent[]): boolean {
  return (
    call.sendWritten !== undefined && events.some(({ type }) => type === 'result') && isLargeJson(events)
  );
}

/** Sends the last events of an answer, in steps where they are large. */
export async function sendLast(call: SendsLast, events: readonly GenerateEvent[]): Promise<void> {
  if (!isLargeLast(call, events)) return void call.send(events);
  const { id } = call.envelope.token;
  await call.sendWritten?.(await writeInSteps(events, () => nextTurn(undefined, id)));
}
