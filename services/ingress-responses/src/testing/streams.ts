import { type Bus, jobStream, storedStreams } from '@model-gateway/bus';
import { logStreams, queueStream, valueStreams } from '@model-gateway/store';
import { makeStreams } from '@model-gateway/store/testing';

const room = { replicas: 1, ttlMs: 60_000, maxBytes: 100_000_000 };

/** Creates the streams of stored responses. */
export function makeStored(bus: Bus): Promise<void> {
  const { responses, events } = storedStreams;
  return makeStreams(bus, [
    ...valueStreams(responses, room),
    ...logStreams(events, room),
    queueStream(jobStream, { ...room, maxBytes: 3_000_000 }),
  ]);
}
