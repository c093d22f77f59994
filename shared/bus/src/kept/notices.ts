import type { Bus } from '../connection.ts';
import { cancelledSubject } from '../subjects.ts';

/** Tells every process that a key's work is not wanted any more; where it runs, it is stopped. Nothing keeps the word. */
export function announceCancelled(bus: Bus, key: string): void {
  if (bus.connected()) bus.state.publish(cancelledSubject, key);
}

/** Has `cancelled` called for each key of {@link announceCancelled}; returns what ends that. */
export function followCancelled(bus: Bus, cancelled: (key: string) => void): () => void {
  const subscription = bus.state.subscribe(cancelledSubject, {
    callback: (error, message) => {
      if (!error) cancelled(message.string());
    },
  });
  return () => subscription.unsubscribe();
}
