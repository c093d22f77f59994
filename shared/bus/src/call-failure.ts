import { endedByAdmin, GatewayError, givenUp, overloaded } from '@model-gateway/canonical';
import { noBytes, writeHead } from './frame.ts';
import type { BusyHead, CancelHead } from './protocol.ts';
import type { OverShare } from './slots.ts';
import type { WaitRefusal } from './waiting-calls.ts';

/** The envelope of the request does not fit in an opening frame. */
export function tooLargeHead(): GatewayError {
  return new GatewayError(
    'too-large',
    'The model name and headers of the request are too long. Shorten them.',
  );
}

/** The worker was lost, and no other may take the call over. `tooMany`: the request lost as many as it may. */
export function workerLost(tooMany = false): GatewayError {
  const advice = tooMany ? '' : ' Retry the request.';
  const message = `The answer was cut off because its worker was lost.${advice}`;
  return new GatewayError('upstream', message, tooMany ? { lostWorkers: true } : {});
}

/** A frame of the answer is missing, or cannot be read. */
export function answerDamaged(cause: unknown): GatewayError {
  return new GatewayError(
    'upstream',
    'A part of the answer was lost on the way from the worker. Retry the request.',
    {},
    { cause },
  );
}

/** Time after which a client should retry a call that found no room, in milliseconds, if nothing better is known. */
const retryAfterMs = 5_000;
/** The shortest and the longest time that a client is told from an estimate, in milliseconds. */
const retryBounds = { shortest: 1_000, longest: 60_000 };

/** NATS cannot be reached. `unserved`: the request has reached no worker. */
export function busUnavailable(unserved: boolean): GatewayError {
  return overloaded(
    'bus_unavailable',
    "The gateway's message bus cannot be reached at the moment. Retry later.",
    { code: 'bus_unavailable', retryAfterMs, ...(unserved && { unserved }) },
  );
}

/** The call's pool has no worker. `unserved` as in {@link busUnavailable}. */
export function noWorker(queueMs: number, unserved: boolean): GatewayError {
  const message = `No worker that could serve this request has been running for ${queueMs / 1000} s. Retry later.`;
  return overloaded('no_worker', message, { retryAfterMs, ...(unserved && { unserved }) });
}

/** Every worker was full. */
export function noRoom(queueMs: number): GatewayError {
  const message = `No worker had free capacity within ${queueMs / 1000} s. Retry later.`;
  return overloaded('workers_full', message, { retryAfterMs });
}

/** Workers had room, but not for the call's token or project: no place or, of a token, no memory for its body. */
export function overShare(queueMs: number, share: OverShare = 'places'): GatewayError {
  const message = overShareMessages[share](queueMs / 1000);
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}

const overShareMessages: Record<OverShare, (seconds: number) => string> = {
  places: seconds =>
    `This token has at least half of the running requests, and no further capacity became free for it within ${seconds} s: the rest is reserved for other tokens. Wait until some of its requests have ended.`,
  project: seconds =>
    `This project has its share of the running requests, and no further capacity became free for it within ${seconds} s: the rest is reserved for other projects. Wait until some of its requests have ended.`,
  bodies: seconds =>
    `This token's requests use half of the workers' memory for request bodies, and too few of them ended within ${seconds} s. Wait until some have ended, or send smaller requests.`,
};

/** So many calls of the project wait that this one would not be served in time. */
export function queueTooLong({ waitMs = retryAfterMs, overShare }: WaitRefusal): GatewayError {
  const { shortest, longest } = retryBounds;
  const details = { retryAfterMs: Math.min(longest, Math.max(shortest, Math.ceil(waitMs))) };
  const message =
    'More requests of this project are waiting for a worker than can be served in time. Retry later.';
  return overShare
    ? new GatewayError('rate-limited', message, { ...details, share: true })
    : overloaded('queue_full', message, details);
}

/** Returns the share that a refused call would have exceeded; undefined if the worker was full. */
export function refusedShare({ share, project, bodies }: BusyHead): OverShare | undefined {
  if (!share) return undefined;
  if (project) return 'project';
  return bodies ? 'bodies' : 'places';
}

/** Returns the head of a `cancel` frame, which is empty if the client left. `endedBy`: the administrator who ended the request. */
export function cancelHead(isGivenUp: boolean, endedBy?: string): Uint8Array {
  if (isGivenUp) return writeHead({ givenUp: true } satisfies CancelHead);
  return endedBy === undefined ? noBytes : writeHead({ endedBy } satisfies CancelHead);
}

/** Returns the reason to abort the work of a cancelled call; undefined if the client left. */
export function cancelReason({ endedBy, givenUp: isGivenUp }: CancelHead): GatewayError | undefined {
  if (isGivenUp) return givenUp();
  return endedBy === undefined ? undefined : endedByAdmin(endedBy);
}

/** Returns the error of answers that a worker has not completed when it shuts down. */
export function workerShutDown(): GatewayError {
  return new GatewayError('upstream', 'The answer was cut off: the worker was shut down. Retry the request.');
}
