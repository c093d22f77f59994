import { type Bus, streamManager } from '@model-gateway/bus';
import { type LastingStream, makeStream } from '../streams.ts';

/** Creates or updates streams, as control does. */
export async function makeStreams(bus: Bus, wanted: readonly LastingStream[]): Promise<void> {
  const manager = await streamManager(bus);
  for (const stream of wanted) await makeStream(manager, stream);
}
