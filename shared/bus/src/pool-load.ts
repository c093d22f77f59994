import type { Clock } from '@model-gateway/clock';
import type { Subscription } from 'nats';
import type { Bus } from './connection.ts';
import { followStatus, subscribe } from './faults.ts';
import { heartbeatMs, silentMs } from './liveness.ts';
import type { HeartbeatMessage } from './protocol.ts';
import { anyHeartbeat, heartbeatingWorker, poolOf } from './subjects.ts';

/** The load of one pool, summed over its workers that are not silent. */
export interface PoolLoad {
  pool: string;
  /** Number of these workers, including draining ones. */
  workers: number;
  callsInFlight: number;
  /** The most calls that they serve at once. A draining worker adds 0. */
  capacity: number;
}

/** Time in which a heartbeat of every worker arrives, in milliseconds. */
const listenMs = 2 * heartbeatMs;

interface HeardWorker extends HeartbeatMessage {
  pool: string;
  /** Milliseconds since 1970. */
  heardAt: number;
}

/** The load of every pool, computed from the heartbeats of its workers. */
export class PoolLoads {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #subscription: Subscription;
  readonly #workers = new Map<string, HeardWorker>();
  /** Time of the last connect or disconnect, in milliseconds since 1970. */
  #changedAt: number;
  #sweptAt: number;

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#clock = bus.clock;
    this.#changedAt = this.#sweptAt = this.#clock.now();
    this.#subscription = subscribe(bus.state, anyHeartbeat, bus.faults, message =>
      this.#read(message.subject, message.string()),
    );
    void followStatus(bus.state, bus.faults, ({ type }) => {
      if (type === 'disconnect' || type === 'reconnect') this.#changedAt = this.#clock.now();
    });
  }

  /** Returns every pool with such a worker, sorted by name; undefined if the load is unknown, as after a disconnect. */
  all(now = this.#clock.now()): PoolLoad[] | undefined {
    if (!this.#bus.connected() || now - this.#changedAt < listenMs) return undefined;
    const loads = new Map<string, PoolLoad>();
    for (const worker of this.#workers.values()) {
      if (!isHeard(worker, now)) continue;
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

  /** Returns the load of one pool, all 0 if it has none; undefined as in {@link all}. */
  of(pool: string, now = this.#clock.now()): PoolLoad | undefined {
    const loads = this.all(now);
    return loads && (loads.find(load => load.pool === pool) ?? noLoad(pool));
  }

  stop(): void {
    this.#subscription.unsubscribe();
  }

  #read(subject: string, text: string): void {
    const worker = heartbeatingWorker(subject);
    const heartbeat = parseHeartbeat(text);
    if (!heartbeat) return;
    const heardAt = this.#clock.now();
    this.#workers.set(worker, { pool: poolOf(worker), ...heartbeat, heardAt });
    this.#sweep(heardAt);
  }

  /** Removes silent workers. */
  #sweep(now: number): void {
    if (now - this.#sweptAt < silentMs) return;
    this.#sweptAt = now;
    for (const [id, worker] of this.#workers) if (!isHeard(worker, now)) this.#workers.delete(id);
  }
}

function noLoad(pool: string): PoolLoad {
  return { pool, workers: 0, callsInFlight: 0, capacity: 0 };
}

function isHeard({ heardAt }: HeardWorker, now: number): boolean {
  return now - heardAt < silentMs;
}

function parseHeartbeat(text: string): HeartbeatMessage | undefined {
  try {
    const { load, capacity } = JSON.parse(text) as Partial<HeartbeatMessage>;
    return Number.isFinite(load) && Number.isFinite(capacity)
      ? ({ load, capacity } as HeartbeatMessage)
      : undefined;
  } catch {
    return undefined;
  }
}
