import type { Envelope } from '@model-gateway/canonical';

/** How often workers and callers say that they are alive; three missed ones mean that they are not. */
export const heartbeatMs = 1_000;
export const lostMs = 3 * heartbeatMs;

/** How long an opening frame may be accepted. */
export const acceptMs = 2_000;

/** How many bytes of an answer may be under way to a caller that has not taken them. */
export const answerWindow = 256 * 1024;

/** How many bytes of a request body may be under way to a worker that has not taken them. */
export const bodyWindow = 512 * 1024;

/** What a piece of a body, or a message of a session, takes of a window beside its bytes: small ones are not free. */
export const pieceOverhead = 128;

/** The head of an `open` frame. */
export interface OpenHead {
  envelope: Envelope;
  /** Epoch milliseconds; a worker that reads the frame later drops it. */
  acceptBy: number;
  /** Bytes of answer that may be sent before the first credit. */
  window: number;
  /**
   * Bytes of body that follow in `body` frames once the call is accepted: 0 where the body is in the frame,
   * null where it comes in pieces until the last one says so.
   */
  bodyToCome: number | null;
}

/** The head of an `accept` frame. */
export interface AcceptHead {
  worker: string;
}

/** The head of a `busy` frame. */
export interface BusyHead extends AcceptHead {
  /** The worker has room, but none for this call's token. A caller of an older version takes the worker for full. */
  share?: true;
  /** It has places for it, and no room for a body as large as this call's. A caller of an older version reads `share` alone. */
  bodies?: true;
}

/** An attempt at an upstream, announced to the caller before the upstream is called. */
export interface AnnouncedAttempt {
  /** UUIDv7. */
  id: string;
  provider: string;
  /** The model's name at the provider. */
  model: string;
}

/** What a worker's beat says. */
export interface Beat {
  /** Calls it is serving. */
  load: number;
  /** Calls it will serve at once; a draining worker has 0. */
  capacity: number;
  /** The `protocolVersion` that it speaks; absent for 1. */
  version?: number;
}

/**
 * The header that names the worker in an empty message with status 503, by which it answers an opening whose version it does not
 * know. This, and that the subject for an answer ends in the call's id, is the same in all versions.
 */
export const busyHeader = 'Gateway-Worker';
