import type { Bus } from '../connection.ts';
import { streams } from '../jet-stream.ts';
import { type LastingStream, makeStream, type StoredOptions, storedStreams } from '../store/streams.ts';

/** Creates or updates streams, as control does. */
export async function makeStreams(bus: Bus, wanted: readonly LastingStream[]): Promise<void> {
  const manager = await streams(bus);
  for (const stream of wanted) await makeStream(manager, stream);
}

/** Creates all streams of stored responses and client secrets. */
export function makeStored(bus: Bus, options: Partial<StoredOptions> = {}): Promise<void> {
  const defaults = {
    replicas: 1,
    responsesMs: 60_000,
    responsesBytes: 300_000_000,
    secretsBytes: 10_000_000,
  };
  return makeStreams(bus, storedStreams({ ...defaults, ...options }));
}
