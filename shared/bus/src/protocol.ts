import type { Envelope } from '@model-gateway/canonical';

/** Time within which a worker must accept an opening frame, in milliseconds. */
export const acceptMs = 2_000;

/** Largest credit window of a response: bytes that may be sent before the caller has taken them. */
export const answerWindow = 256 * 1024;

/** Largest credit window of a request body: bytes that may be sent before the worker has taken them. */
export const bodyWindow = 512 * 1024;

/** Bytes that each piece of a body or message of a session uses of a window in addition to its own. */
export const pieceOverhead = 128;

/** The head of an `open` frame. */
export interface OpenHead {
  envelope: Envelope;
  /** In milliseconds since 1970; a worker that reads the frame later drops it. */
  acceptBy: number;
  /** Bytes of the response that may be sent before the first credit. */
  window: number;
  /**
   * Bytes of body that follow in `body` frames once the call is accepted: 0 if the body is in this frame, null if
   * it is streamed until a frame with the `last` flag.
   */
  bodyToCome: number | null;
  /** UUIDv7 of the call's first attempt at an upstream, which so needs no announcement. Absent for a session. */
  attempt?: string;
}

/** The head of an `accept` frame. */
export interface AcceptHead {
  worker: string;
  /** The credit window of the body, if it is not {@link bodyWindow}. */
  window?: number;
}

/** The head of a `busy` frame. */
export interface BusyHead extends Pick<AcceptHead, 'worker'> {
  /** The worker has room, but not for this call's token. */
  share?: true;
  /** The project has its share of the worker's places. `share` is set, too. */
  project?: true;
  /** The worker has a place for the token, but no memory for the call's body. `share` is set, too. */
  bodies?: true;
}

/** The head of a `cancel` frame, which is empty if the client left. */
export interface CancelHead {
  /** The administrator who ended the request. */
  endedBy?: string;
  /** Set if the client did not leave: another call of the request has answered, or this one failed at its caller. */
  givenUp?: true;
}

/** An attempt at an upstream, known to the caller before the upstream is called. */
export interface AnnouncedAttempt {
  /** UUIDv7. */
  id: string;
  provider: string;
  /** The model's name at the provider. */
  model: string;
  /** An estimate of the tokens of its input, for a response of a realtime session. */
  input?: number | undefined;
}

/** An attempt that is to be announced. */
export type AttemptTarget = Omit<AnnouncedAttempt, 'id'>;

/** The payload of a worker's heartbeat. */
export interface HeartbeatMessage {
  /** Calls that the worker serves. */
  load: number;
  /** The most calls that it serves at once; 0 while it drains. */
  capacity: number;
  /** The worker's `protocolVersion`. */
  version: number;
}

/**
 * The header with the worker's name in the empty 503 message by which it answers an opening of an unknown version.
 * This header, and the call id at the end of the reply subject, are the same in all versions.
 */
export const busyHeader = 'Gateway-Worker';
