import type { Envelope } from '@model-gateway/canonical';

/** How often workers and callers say that they are alive; three missed ones mean that they are not. */
export const beatMs = 1_000;
export const lostMs = 3 * beatMs;

/** How long an opening frame may be accepted. */
export const acceptMs = 2_000;

/** How many bytes of an answer may be under way to a caller that has not taken them. */
export const answerWindow = 256 * 1024;

/** The head of an `open` frame. */
export interface OpenHead {
  envelope: Envelope;
  /** Epoch milliseconds; a worker that reads the frame later drops it. */
  acceptBy: number;
  /** Bytes of answer that may be sent before the first credit. */
  window: number;
  /** Bytes of body that follow in `body` frames once the call is accepted; 0 where the body is in the frame. */
  bodyToCome: number;
}

/** The head of an `accept` or `busy` frame. */
export interface AcceptHead {
  worker: string;
}

/** What a worker's beat says. */
export interface Beat {
  /** Calls it is serving. */
  load: number;
  /** Calls it will serve at once; a draining worker has 0. */
  capacity: number;
}
