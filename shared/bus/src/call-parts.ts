import type { Envelope, GatewayError, GenerateEvent } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { RequestBody } from './body-sender.ts';
import type { AnnouncedAttempts } from './call-attempts.ts';
import type { Faults } from './faults.ts';
import type { Frame, Windows } from './frame.ts';
import type { Outboxes } from './outbox.ts';
import { acceptMs } from './protocol.ts';
import type { SlabById } from './slab.ts';
import type { WaitingCalls } from './waiting-calls.ts';
import type { Workers } from './workers.ts';

/** Receives the answers of its pool's workers to its openings. */
export interface OpenedCall extends Readonly<Pick<CallRequest, 'pool'>> {
  read(frame: Frame): void;
  /** `ofOtherVersion`: a worker has answered that it does not know this version. */
  noResponders(ofOtherVersion: boolean): void;
  /** Ends the call, which cannot be served. */
  failed(error: GatewayError): void;
  /** Ends the call with the error of what one of its steps threw. */
  broke(thrown: unknown): void;
}

/** The parts of a process that its calls share. */
export interface CallParts {
  clock: Clock;
  faults: Faults;
  ids: SlabById<OpenedCall>;
  workers: Workers;
  /** The calls that wait for a worker. */
  waiting: WaitingCalls;
  outboxes: Outboxes;
  /** Openings whose client left before they were answered, with the attempts that a worker may have made. */
  leftOpenings: RecentIds<AnnouncedAttempts>;
  /** Attempts of calls that were given up: their answers may be complete all the same. */
  givenUp: RecentIds<AnnouncedAttempts>;
  /** The credit windows of answers. */
  windows: Windows;
  /** False while NATS cannot be reached. A server that stands still shows some time after this was asked first. */
  isReachable(): boolean;
  /** Called with attempts whose worker was lost before it can have recorded them. */
  onLost(attempts: AnnouncedAttempts): void;
  /** Called with the attempts of a call that was answered. */
  onAnswered(attempts: AnnouncedAttempts): void;
  /** Called when a worker has accepted a call, with the time that this took in milliseconds. */
  onAccepted(pool: string, queuedMs: number): void;
}

/** Items by the ids of openings that have ended, for as long as a worker's frames of them may still come. */
export class RecentIds<Item> {
  #recent = new Map<number, Item>();
  #older = new Map<number, Item>();
  #turnedAt = 0;

  add(id: number, item: Item): void {
    this.#recent.set(id, item);
  }

  /** Removes an item and returns it; undefined if it is not there. */
  take(id: number): Item | undefined {
    const item = this.#recent.get(id) ?? this.#older.get(id);
    this.#recent.delete(id);
    this.#older.delete(id);
    return item;
  }

  /** Forgets the items that are too old, and returns them. `now`: in milliseconds since 1970. */
  forget(now: number): Iterable<Item> {
    if (now - this.#turnedAt < 2 * acceptMs) return [];
    const forgotten = this.#older.values();
    this.#turnedAt = now;
    this.#older = this.#recent;
    this.#recent = new Map();
    return forgotten;
  }
}

/** The request of a call to a pool of workers. */
export interface CallRequest {
  pool: string;
  envelope: Envelope;
  /** If it is a stream that is read once, no other worker can take over after one has accepted. */
  body: RequestBody;
  /** The longest wait for a worker with room, in milliseconds. */
  queueMs: number;
  /** The end of that wait, in milliseconds since 1970, if earlier calls of the request have waited, too. */
  queueUntil?: number;
  /** Number of lost workers after which the request fails; {@link maxLosses} where absent. */
  lossesLeft?: number;
  /** Set if a worker has accepted an earlier call of the request, which failed: this one comes before those that had no turn. */
  again?: true;
  /**
   * Receives the response's events in order, in batches; the last one is `finish` or `error`. Must not throw.
   * `weight` is the credit that the batch used; return it by {@link Call.consumed}.
   */
  onEvents(events: GenerateEvent[], weight: number): void;
  /** Called with the bytes of each piece of a batch that is not complete. What it throws ends the call. */
  onHeld?(bytes: number): void;
  /**
   * Called in place of a last event if the worker was lost, the request may be sent again, and nothing of the response
   * was delivered. Where absent, the loss is an error.
   */
  onLost?(): void;
}

/** A call as the code that made it sees it. */
export interface Call {
  /** The worker that serves the call. */
  readonly worker: string | undefined;
  /** True once a worker has accepted the call. */
  readonly accepted: boolean;
  /** True once no event follows. */
  readonly done: boolean;
  /** Number of workers that were lost while they served the call, or after they may have read its opening. */
  readonly losses: number;
  /** Time that the call waited for a worker, in milliseconds. */
  readonly queuedMs: number;
  /** The ids of its attempts so far. */
  readonly attempts: readonly string[];
  /** Returns credit for bytes of the response that the client took. */
  consumed(bytes: number): void;
  /** Cancels the call, since another one of the request has answered: what it used is not charged. */
  giveUp(): void;
  /** Cancels the call: no event follows, and the worker stops its upstream request. `endedBy`: the administrator who ended it. */
  cancel(endedBy?: string): void;
}

/** A request that lost this many workers is not sent to another, since it may be what killed them. */
export const maxLosses = 2;
