import { JetStreamApiError } from '@nats-io/jetstream';
import { isFull } from './full.ts';

/** For how long what fails is tried again: NATS takes 4 to 9 s to choose a leader. */
const patienceMs = 10_000;
const pauseMs = 200;
/** The stream's last message of a subject is another one than was expected. */
const wrongLastSequence = 10_071;

/** Does something until it works; what the server refuses for good is not tried again. */
export async function retried<T>(work: () => Promise<T>, patience = patienceMs): Promise<T> {
  const giveUp = Date.now() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isConflict(error) || isFull(error) || Date.now() > giveUp) throw error;
      await new Promise(resolve => setTimeout(resolve, pauseMs));
    }
  }
}

/** Whether the server refused a write since another one came first. */
export function isConflict(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === wrongLastSequence;
}
