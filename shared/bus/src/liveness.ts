import { errors, type NatsConnection } from 'nats';
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
export interface LookoutParts {
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
