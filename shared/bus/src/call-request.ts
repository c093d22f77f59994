import type { Envelope, GenerateEvent, Usage } from '@model-gateway/canonical';
import type { RequestBody } from './body-sender.ts';
import type { AnnouncedAttempt } from './protocol.ts';

/** A call as its caller asks a pool of workers for it. */
export interface CallRequest {
  pool: string;
  envelope: Envelope;
  /** One in pieces that is read once: as soon as a worker has accepted, no other can take over. */
  body: RequestBody;
  /** The longest wait for a worker that has room, in milliseconds. */
  queueMs: number;
  /** The workers that may be lost over the request before it is given to no other; {@link maxLosses} where absent. */
  lossesLeft?: number;
  /**
   * Gets the answer's events in order, as they came together; the last one is `finish` or `error`. Must not throw.
   * A whole answer whose worker was lost may begin again: with another `start`.
   * `weight` is what they take of the window, to be given back by {@link Call.consumed}.
   */
  onEvents(events: GenerateEvent[], weight: number): void;
}

/** A request that lost as many workers as these is given to no other: it may be what they were lost of. */
export const maxLosses = 2;

/** A call's attempts at a worker, as far as they were announced. */
export interface Tried {
  envelope: Envelope;
  attempts: AnnouncedAttempt[];
  /** Set where the caller got any of an answer. */
  shown: boolean;
  /** The usage of the last one, where its answer told. */
  usage: Usage | null;
}
