import { GatewayError } from '@model-gateway/canonical';

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

/** Time after which a client should retry a call that found no room, in milliseconds. */
const retryAfterMs = 5_000;

/** Every worker was full, or there was no worker. */
export function noRoom(queueMs: number): GatewayError {
  const message = `No worker had free capacity within ${queueMs / 1000} s. Retry later.`;
  return new GatewayError('overloaded', message, { retryAfterMs });
}

/** Workers had room, but not for the call's token: no place or, with `bodies`, no memory for its body. */
export function overShare(queueMs: number, bodies = false): GatewayError {
  const seconds = queueMs / 1000;
  const message = bodies
    ? `This token's requests use half of the workers' memory for request bodies, and too few of them ended within ${seconds} s. Wait until some have ended, or send smaller requests.`
    : `This token has at least half of the running requests, and no further capacity became free for it within ${seconds} s: the rest is reserved for other tokens. Wait until some of its requests have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}
