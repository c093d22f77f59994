import type { ServedCall } from '@model-gateway/bus';
import type { GenerateEvent } from '@model-gateway/canonical';
import { isLargeJson, writeInSteps } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';

/** A call whose last events can be sent as JSON; without `sendWritten` they stay in this process. */
export type SendsLast = Pick<ServedCall, 'envelope' | 'send'> & Partial<Pick<ServedCall, 'sendWritten'>>;

/** True if the last events hold a result that is so large that it is written in steps. */
export function isLargeLast(call: SendsLast, events: readonly GenerateEvent[]): boolean {
  return (
    call.sendWritten !== undefined && events.some(({ type }) => type === 'result') && isLargeJson(events)
  );
}

/** Sends the last events of an answer, writing large ones in steps. */
export async function sendLast(call: SendsLast, events: readonly GenerateEvent[]): Promise<void> {
  if (!isLargeLast(call, events)) return void call.send(events);
  const { id } = call.envelope.token;
  await call.sendWritten?.(await writeInSteps(events, () => nextTurn(undefined, id)));
}
