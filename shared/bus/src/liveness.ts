import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '@model-gateway/clock';
import { errors, type NatsConnection } from 'nats';
import type { Bus, BusOptions } from './connection.ts';
import { noBytes } from './frame.ts';

/** Interval of the heartbeats of workers, callers and processes that apply limits, in milliseconds. */
export const heartbeatMs = 1_000;
/** Silence after which a process gets no new work, in milliseconds. */
export const silentMs = 3 * heartbeatMs;
/**
 * Silence after which a process is lost although NATS has its connection, in milliseconds. It may be starved of CPU, paused or
 * collecting garbage for 15 s before.
 */
export const lostMs = 20_000;
/** Silence from which NATS is asked whether a process has its connection, in milliseconds. */
const overdueMs = 1.1 * heartbeatMs;
/** Time for which NATS must deny that before the process is lost, in milliseconds. Routes of a cluster usually recover within 1 s. */
export const missedMs = 1_250;
/** Interval at which a process looks after the lives of others, in milliseconds. */
export const lookMs = 250;
/** Time without a look after which a process itself stood still, in milliseconds. */
const stillMs = 2 * heartbeatMs;
/** Time after which a probe that nobody denied is over, in milliseconds. */
const probeMs = 1_000;

/** The life of a process as another one sees it: any message is a sign of it. Times are in milliseconds of the other one's clock. */
export class Life {
  #heardAt: number;
  /** Time from which NATS has denied the connection of the process; undefined while it does not. */
  #missedAt: number | undefined;
  #gone = false;

  constructor(now: number) {
    this.#heardAt = now;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  /** Records a sign of life. */
  heard(now: number): void {
    this.#heardAt = now;
    this.#missedAt = undefined;
    this.#gone = false;
  }

  /** Records that nobody listens where the process does. Returns true if it is lost by this. */
  missed(now: number): boolean {
    this.#missedAt ??= now;
    if (this.#gone || now - this.#missedAt < missedMs) return false;
    this.#gone = true;
    return true;
  }

  /** True if the process may get new work. */
  mayWork(now: number): boolean {
    return this.#missedAt === undefined && now - this.#heardAt < silentMs;
  }

  /** True if what the process serves is lost. */
  isLost(now: number): boolean {
    return this.#gone || now - this.#heardAt >= lostMs;
  }

  /** True until it shows whether a process that fell silent is lost: it is not if NATS still has its connection. */
  isInDoubt(now: number): boolean {
    return this.needsProbe(now) && (this.#missedAt !== undefined || now - this.#heardAt < silentMs);
  }

  /** True if NATS should be asked whether it has the connection of the process. */
  needsProbe(now: number): boolean {
    return !this.isLost(now) && (this.#missedAt !== undefined || now - this.#heardAt >= overdueMs);
  }

  /** Leaves time out in which nobody could be heard. */
  leaveOut(ms: number, now: number): void {
    this.#heardAt = Math.min(now, this.#heardAt + ms);
    if (this.#missedAt !== undefined) this.#missedAt = Math.min(now, this.#missedAt + ms);
  }
}

/** The ways of a lookout to the processes whose lives it looks after. */
interface LookoutParts {
  /** Returns the time in milliseconds. */
  now(): number;
  /** Calls `missed` if NATS does not have the connection of the process. */
  probe(id: string, missed: () => void): void;
  /** Called when a process is lost because its connection is closed. */
  gone(id: string): void;
}

/** Looks after the lives of other processes, by `look` each {@link lookMs}. */
export class Lookout {
  readonly #parts: LookoutParts;
  #lookedAt: number;
  /** True if it has not read yet what came while it stood still. */
  #mustRead = false;

  constructor(parts: LookoutParts) {
    this.#parts = parts;
    this.#lookedAt = parts.now();
  }

  /**
   * Probes those that are overdue. Returns false if this process has just stood still: it must read what came meanwhile before it
   * judges anybody. That time counts for nobody's silence.
   */
  look(lives: Iterable<readonly [id: string, life: Life]>): boolean {
    const now = this.#parts.now();
    const stillFor = Math.max(0, now - this.#lookedAt - stillMs);
    this.#lookedAt = now;
    // A process that is always late must judge as well.
    this.#mustRead = stillFor > 0 && !this.#mustRead;
    for (const [id, life] of lives) {
      if (stillFor > 0) life.leaveOut(stillFor, now);
      if (!this.#mustRead && life.needsProbe(now)) this.probe(id, life);
    }
    return !this.#mustRead;
  }

  /** Asks NATS whether it has the connection of a process. */
  probe(id: string, life: Life): void {
    const { now, probe, gone } = this.#parts;
    probe(id, () => {
      if (life.missed(now())) gone(id);
    });
  }
}

/** Sends an empty message, and calls `missed` if nobody listens to its subject. A process that is paused still listens. */
export function probeSubject(connection: NatsConnection, subject: string, missed: () => void): void {
  connection.request(subject, noBytes, { timeout: probeMs }).catch((error: unknown) => {
    if (error instanceof errors.RequestError && error.isNoResponders()) missed();
  });
}

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
