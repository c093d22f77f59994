import type { Envelope, GenerateEvent } from '@model-gateway/canonical';
import type { RequestBody } from './body-sender.ts';

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
