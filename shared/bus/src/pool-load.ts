import type { Subscription } from 'nats';
import type { Bus } from './connection.ts';
import { type Beat, heartbeatMs, lostMs } from './protocol.ts';
import { anyBeat, heartbeatingWorker, poolOf } from './subjects.ts';

/** The load of one pool: the sum over its workers that live. */
export interface PoolLoad {
  pool: string;
  /** Workers that live, draining ones included. */
  workers: number;
  callsInFlight: number;
  /** The calls that they serve at once. A draining worker adds none. */
  capacity: number;
}

/** The time in which every worker that lives is heard, in milliseconds. */
export const listenMs = 2 * heartbeatMs;

interface HeardWorker extends Beat {
  pool: string;
  /** Milliseconds since 1970. */
  heardAt: number;
}

/** The load of every pool, from the heartbeats of its workers. Whoever listens hears the same. */
export class PoolLoads {
  readonly #bus: Bus;
  readonly #subscription: Subscription;
  readonly #workers = new Map<string, HeardWorker>();
  /** When the connection was last made or lost, in milliseconds since 1970. */
  #changedAt = Date.now();
  #sweptAt = Date.now();

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#subscription = bus.state.subscribe(anyBeat, {
      callback: (error, message) => {
        if (!error) this.#heard(message.subject, message.string());
      },
    });
    void this.#followConnection();
  }

  /** Every pool with a worker that lives, by name; undefined where no one can tell, as just after a lost connection. */
  all(now = Date.now()): PoolLoad[] | undefined {
    if (!this.#bus.connected() || now - this.#changedAt < listenMs) return undefined;
    const loads = new Map<string, PoolLoad>();
    for (const worker of this.#workers.values()) {
      if (!isAlive(worker, now)) continue;
      const load = loads.get(worker.pool) ?? noLoad(worker.pool);
      loads.set(worker.pool, {
        pool: load.pool,
        workers: load.workers + 1,
        callsInFlight: load.callsInFlight + worker.load,
        capacity: load.capacity + worker.capacity,
      });
    }
    return [...loads.values()].sort((one, other) => (one.pool < other.pool ? -1 : 1));
  }

  /** The load of one pool, all 0 where it has no worker that lives; undefined as in {@link all}. */
  of(pool: string, now = Date.now()): PoolLoad | undefined {
    const loads = this.all(now);
    return loads && (loads.find(load => load.pool === pool) ?? noLoad(pool));
  }

  stop(): void {
    this.#subscription.unsubscribe();
  }

  #heard(subject: string, text: string): void {
    const worker = heartbeatingWorker(subject);
    const beat = parseBeat(text);
    if (!beat) return;
    const heardAt = Date.now();
    this.#workers.set(worker, { pool: poolOf(worker), ...beat, heardAt });
    this.#sweep(heardAt);
  }

  /** Forgets workers that are gone. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < lostMs) return;
    this.#sweptAt = now;
    for (const [id, worker] of this.#workers) if (!isAlive(worker, now)) this.#workers.delete(id);
  }

  async #followConnection(): Promise<void> {
    for await (const { type } of this.#bus.state.status())
      if (type === 'disconnect' || type === 'reconnect') this.#changedAt = Date.now();
  }
}

function noLoad(pool: string): PoolLoad {
  return { pool, workers: 0, callsInFlight: 0, capacity: 0 };
}

function isAlive({ heardAt }: HeardWorker, now: number): boolean {
  return now - heardAt < lostMs;
}

function parseBeat(text: string): Beat | undefined {
  try {
    const { load, capacity } = JSON.parse(text) as Partial<Beat>;
    return Number.isFinite(load) && Number.isFinite(capacity) ? ({ load, capacity } as Beat) : undefined;
  } catch {
    return undefined;
  }
}
