import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@model-gateway/bus';

const retryMs = 500;

/** Connects to NATS, retrying until it succeeds. Returns undefined if the signal aborts before. */
export async function whenConnected(
  bus: () => Promise<Bus>,
  signal: AbortSignal,
  failed: (error: unknown) => void = () => {},
): Promise<Bus | undefined> {
  while (!signal.aborted) {
    try {
      return await bus();
    } catch (error) {
      failed(error);
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
  }
  return undefined;
}
