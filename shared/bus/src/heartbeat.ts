import { Worker } from 'node:worker_threads';
import type { BusOptions } from './connection.ts';

/** A process whose event loop has not turned for this long, in milliseconds, is taken for lost. */
export const stuckMs = 30_000;
const restartMs = 1_000;
/** The thread holds one connection and nothing else, in MB. */
const threadHeap = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

/** Numbers that a worker shares with its heartbeat's thread, by their places in an `Int32Array`. */
export const heartbeatState = { load: 0, capacity: 1, turns: 2, silent: 3 } as const;

/** The data that a heartbeat's thread starts with. */
export interface BeatThreadData {
  bus: BusOptions;
  /** The subject to publish heartbeats on. */
  subject: string;
  state: Int32Array<SharedArrayBuffer>;
  stuckMs: number;
}

/**
 * A worker's heartbeat from a thread with a connection of its own, so that a request that keeps the event loop busy does not
 * let the worker pass for lost. It stops where the event loop stands still for 30 s.
 */
export class Heartbeat {
  /** Set once the thread beats; until then, and while it is being restarted, the worker has to do so itself. */
  running = false;
  readonly #data: BeatThreadData;
  #thread: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(bus: BusOptions, subject: string) {
    const state = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
    this.#data = { bus, subject, state, stuckMs };
    this.#start();
  }

  /** The worker's calls and places, as the next beat tells them. */
  update(load: number, capacity: number): void {
    Atomics.store(this.#data.state, heartbeatState.load, load);
    Atomics.store(this.#data.state, heartbeatState.capacity, capacity);
  }

  /** The event loop turns. */
  turned(): void {
    Atomics.add(this.#data.state, heartbeatState.turns, 1);
  }

  /** Set while the worker has no connection: calls could not reach it, however lively its heartbeat. */
  set silent(silent: boolean) {
    Atomics.store(this.#data.state, heartbeatState.silent, Number(silent));
  }

  stop(): void {
    this.#stopped = true;
    this.running = false;
    clearTimeout(this.#restart);
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
    // Its end says all that its error would.
    thread.on('error', () => {});
    thread.on('exit', () => {
      this.running = false;
      if (!this.#stopped) this.#restart = setTimeout(() => this.#start(), restartMs).unref();
    });
  }
}
