import type { Call } from './call.ts';
import type { Tried } from './call-request.ts';
import type { Frame } from './frame.ts';
import type { Outbox } from './outbox.ts';
import type { Fate, SentOpening, Taking } from './workers.ts';

/** The services of the process that makes a call. */
export interface CallHost {
  readonly maxFrame: number;
  /** The largest head of an opening frame. */
  readonly maxHead: number;
  /** The largest body that an opening frame can carry along. */
  readonly maxInline: number;
  /** A number for a call that is about to be opened. */
  register(call: Call): number;
  forget(id: number): void;
  /** Opens at any worker of the pool, or at the given one. */
  publishOpen(id: number, pool: string, worker: string | undefined, frame: Frame): void;
  outbox(worker: string): Outbox;
  /** Takes a place for a call at a worker that has room for it, if there is one. */
  takeWorker(pool: string, taking: Taking): string | undefined;
  workerAccepted(worker: string, pool: string, taking: Taking): void;
  workerFull(worker: string): void;
  /** A worker has room, but none for this token: no place or, where `bodies` is set, no room for such a body. */
  workerKeptFrom(worker: string, taking: Taking, bodies: boolean): void;
  /** The fate of the workers that an opening may have reached. */
  fate(opening: SentOpening): Fate;
  workerLives(worker: string): boolean;
  /** A worker has answered or was told to stop, and may be lost before it has recorded what that used. */
  ended(worker: string, tried: Tried): void;
  attemptsLost(tried: Tried): void;
}
