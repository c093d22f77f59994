import { GatewayError } from '@model-gateway/canonical';
import type { Msg, NatsConnection, Status, Subscription } from 'nats';

/** The kinds of callback that no caller can catch an exception of. */
export const faultPlaces = [
  'answer',
  'call',
  'process',
  'reader',
  'request',
  'session',
  'subscription',
  'timer',
] as const;
export type FaultPlace = (typeof faultPlaces)[number];

export type OnFault = (place: FaultPlace, thrown: unknown) => void;

/**
 * Takes what the callbacks of NATS, sockets, timers and threads throw. An exception in the callback of a subscription ends the
 * connection's reader, and one in another callback ends the process, each with the calls of everybody.
 */
export class Faults {
  readonly #onFault: OnFault;

  /** `onFault` must not throw. */
  constructor(onFault: OnFault = throwLater) {
    this.#onFault = onFault;
  }

  /** Reports what was thrown, unless it is an error that a client gets. */
  report(place: FaultPlace, thrown: unknown): void {
    if (!(thrown instanceof GatewayError)) this.#onFault(place, thrown);
  }

  /** Runs a callback, and reports what it throws or rejects with. */
  run(place: FaultPlace, callback: () => unknown): void {
    try {
      const result = callback();
      if (result instanceof Promise) result.catch(thrown => this.report(place, thrown));
    } catch (thrown) {
      this.report(place, thrown);
    }
  }
}

/** Ends the process, as an exception that nobody catches does. */
function throwLater(_place: FaultPlace, thrown: unknown): void {
  setImmediate(() => {
    throw thrown;
  });
}

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
export function readJson<Shape>(message: Pick<Msg, 'json'>): Shape | undefined {
  try {
    return message.json<Shape>();
  } catch {
    return undefined;
  }
}
