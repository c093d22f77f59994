import { type Bus, streamManager } from '@model-gateway/bus';
import { vi } from 'vitest';
import { type LastingStream, makeStream } from '../streams.ts';

/** Creates or updates streams, as control does. */
export async function makeStreams(bus: Bus, wanted: readonly LastingStream[]): Promise<void> {
  const manager = await streamManager(bus);
  // A busy server may answer a request of JetStream too late.
  for (const stream of wanted) await vi.waitFor(() => makeStream(manager, stream), { timeout: 60_000 });
}
