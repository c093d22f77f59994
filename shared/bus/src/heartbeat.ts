import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '@model-gateway/clock';
import type { Bus, BusOptions } from './connection.ts';

/** A worker whose event loop was blocked for this long falls silent, in milliseconds. */
export const stuckMs = 10_000;
const restartMs = 1_000;
/** Heap limits in MB: the thread holds one connection and nothing else. */
const threadHeap = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

/** Indexes of the numbers in the `Int32Array` that a worker shares with its heartbeat thread. */
export const heartbeatState = { load: 0, capacity: 1, turns: 2, silent: 3 } as const;

/** The `workerData` of a heartbeat thread. */
export interface HeartbeatThreadData {
  bus: Omit<BusOptions, 'clock' | 'onFault'>;
  /** The subject to publish heartbeats on. */
  subject: string;
  state: Int32Array<SharedArrayBuffer>;
  stuckMs: number;
}

/**
 * Sends a worker's heartbeats from a thread with its own connection, so that a busy event loop does not make the
 * worker count as lost. Stops when the event loop is blocked for {@link stuckMs}.
 */
export class Heartbeat {
  /** True while the thread sends heartbeats; otherwise, as during a restart, the worker must send them itself. */
  running = false;
  readonly #data: HeartbeatThreadData;
  readonly #clock: Clock;
  #thread: Worker | undefined;
  #restart: Timer | undefined;
  #stopped = false;

  constructor({ clock, options }: Bus, subject: string) {
    const { clock: own = systemClock, onFault: _, ...bus } = options;
    const state = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
    this.#data = { bus, subject, state, stuckMs };
    this.#clock = clock;
    // The thread has no clock but the system's: by another one, the worker itself sends its heartbeats.
    if (own === systemClock) this.#start();
  }

  /** Sets the load and capacity that the next heartbeat reports. */
  update(load: number, capacity: number): void {
    Atomics.store(this.#data.state, heartbeatState.load, load);
    Atomics.store(this.#data.state, heartbeatState.capacity, capacity);
  }

  /** Records that the event loop is running. */
  turned(): void {
    Atomics.add(this.#data.state, heartbeatState.turns, 1);
  }

  /** True while the worker has no connection: calls cannot reach it, so the thread sends no heartbeats. */
  set silent(silent: boolean) {
    Atomics.store(this.#data.state, heartbeatState.silent, Number(silent));
  }

  stop(): void {
    this.#stopped = true;
    this.running = false;
    this.#clock.clearTimeout(this.#restart);
    void this.#thread?.terminate();
  }

  #start(): void {
    const thread = new Worker(new URL('./heartbeat-thread.ts', import.meta.url), {
      workerData: this.#data,
      execArgv: [],
      resourceLimits: threadHeap,
    });
    this.#thread = thread;
    thread.unref();
    thread.on('message', () => {
      this.running = true;
    });
    // The `exit` event follows every error.
    thread.on('error', () => {});
    thread.on('exit', () => {
      this.running = false;
      if (!this.#stopped) this.#restart = this.#clock.setTimeout(() => this.#start(), restartMs).unref();
    });
  }
}
