import { type Faults, subscribe } from '@model-gateway/bus';
import type { NatsConnection } from 'nats';

/** Tells the readers of logs that a new piece was written. All readers of one log share one subscription, whatever their number. */
export class LogNews {
  readonly #connection: NatsConnection;
  readonly #faults: Faults;
  readonly #logs = new Map<string, { readers: Set<() => void>; unsubscribe(): void }>();

  constructor(connection: NatsConnection, faults: Faults) {
    this.#connection = connection;
    this.#faults = faults;
  }

  /** Calls `tell` for each new piece until the returned function is called. */
  follow(subject: string, tell: () => void): () => void {
    const log = this.#logs.get(subject) ?? this.#subscribe(subject);
    log.readers.add(tell);
    return () => {
      log.readers.delete(tell);
      if (log.readers.size > 0 || this.#logs.get(subject) !== log) return;
      this.#logs.delete(subject);
      log.unsubscribe();
    };
  }

  #subscribe(subject: string) {
    const readers = new Set<() => void>();
    const subscription = subscribe(this.#connection, subject, this.#faults, () => {
      for (const tell of readers) tell();
    });
    const log = { readers, unsubscribe: () => subscription.unsubscribe() };
    this.#logs.set(subject, log);
    return log;
  }
}
