import type { Msg, NatsConnection, Status, Subscription } from 'nats';
import type { Faults } from './faults.ts';

/** Subscribes to a subject. `faults` gets what `read` throws, which would end the connection's reader. `queue`: a group of which one member gets each message. */
export function subscribe(
  connection: NatsConnection,
  subject: string,
  faults: Faults,
  read: (message: Msg) => void,
  queue = '',
): Subscription {
  return connection.subscribe(subject, {
    queue,
    callback(error, message) {
      if (error) return;
      try {
        read(message);
      } catch (thrown) {
        faults.report('subscription', thrown);
      }
    },
  });
}

/** Calls `read` with each change of a connection until it is closed; `faults` gets what it throws. Resolves then. */
export async function followStatus(
  connection: NatsConnection,
  faults: Faults,
  read: (status: Status) => void,
): Promise<void> {
  for await (const status of connection.status()) faults.run('reader', () => read(status));
}

/** Reads a message; undefined if it is no JSON, as one of another version may be. */
export function readJson<Shape>(message: Msg): Shape | undefined {
  try {
    return message.json<Shape>();
  } catch {
    return undefined;
  }
}
