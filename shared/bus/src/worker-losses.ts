import { heartbeatMs } from './liveness.ts';

/** Counts the workers and the heartbeats that a caller lost. */
export class WorkerLosses {
  /** Workers that were lost without being drained. */
  workers = 0;
  /** Heartbeats of live workers that did not arrive in time. */
  heartbeats = 0;
  /** The last heartbeats of workers that are lost. */
  readonly #lost = new WeakSet<object>();

  /** Counts the heartbeats that are missing before one that came `ms` milliseconds after the last. */
  heard(ms: number): void {
    if (ms > 1.5 * heartbeatMs) this.heartbeats += Math.round(ms / heartbeatMs) - 1;
  }

  /** Counts a worker that is lost, once; `last` is what it sent last. */
  lost(last: object): void {
    if (this.#lost.has(last)) return;
    this.#lost.add(last);
    this.workers++;
  }
}
