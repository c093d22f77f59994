import { eventsMs, jobStream, secretsMs, storedStreams } from '@model-gateway/bus';
import { type LastingStream, logStreams, queueStream, valueStreams } from '@model-gateway/store';

export interface StoredOptions {
  /** Number of NATS servers that store each stream. */
  replicas: number;
  /** Time for which a response is stored, in milliseconds. */
  responsesMs: number;
  /** The most bytes of stored responses on each NATS server: turns, events and jobs. */
  responsesBytes: number;
  /** The most bytes of client secrets on each NATS server. */
  secretsBytes: number;
}

/** The space for stored responses per stream, in bytes. */
interface Room {
  turns: number;
  events: number;
  jobs: number;
}

/** Divides the space for stored responses. Events are large but short-lived; a job is little more than an id. */
export function divide(bytes: number): Room {
  const events = Math.floor(bytes / 3);
  const jobs = Math.floor(bytes / 100);
  return { turns: bytes - events - jobs, events, jobs };
}

/** The streams of stored responses, of their events and background jobs, and of client secrets, with their counters. */
export function lastingStreams(options: StoredOptions): LastingStream[] {
  const { replicas, responsesMs, responsesBytes, secretsBytes } = options;
  const room = divide(responsesBytes);
  const { responses, events, secrets } = storedStreams;
  return [
    ...valueStreams(responses, { replicas, ttlMs: responsesMs, maxBytes: room.turns }),
    ...logStreams(events, { replicas, ttlMs: Math.min(responsesMs, eventsMs), maxBytes: room.events }),
    ...valueStreams(secrets, { replicas, ttlMs: secretsMs, maxBytes: secretsBytes }),
    queueStream(jobStream, { replicas, maxBytes: room.jobs }),
  ];
}
