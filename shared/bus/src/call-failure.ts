import { GatewayError } from '@model-gateway/canonical';

/** The request's data beside its body do not fit a message. */
export function tooLargeHead(): GatewayError {
  return new GatewayError('too-large', 'The request has too long a model name or headers.');
}

/** The worker was lost, and no other may take the call over: at once, or at all where too many were lost over it. */
export function workerLost(tooMany = false): GatewayError {
  const message = 'The answer was cut off: its worker was lost.';
  return new GatewayError('upstream', message, tooMany ? { lostWorkers: true } : {});
}

/** A frame of the answer is missing, or cannot be read. */
export function answerDamaged(cause: unknown): GatewayError {
  return new GatewayError('upstream', 'A part of the answer was lost.', {}, { cause });
}

/** When a call that found no room should be made again, in milliseconds. */
const retryAfterMs = 5_000;

/** Every worker was full, or there was none. */
export function noRoom(queueMs: number): GatewayError {
  const message = `No worker had room within ${queueMs / 1000} s.`;
  return new GatewayError('overloaded', message, { retryAfterMs });
}

/** Workers had room, but none for the call's token: neither a place nor, where `bodies` is set, room for a body as large as its. */
export function overShare(queueMs: number, bodies = false): GatewayError {
  const seconds = queueMs / 1000;
  const message = bodies
    ? `This token's requests fill half of the workers' room for request bodies, and too few of them ended within ${seconds} s. Wait until some of its requests have ended, or send smaller ones.`
    : `This token has half of the running calls or more, and no place became free for it within ${seconds} s: the places that are left are for others. Wait until some of its requests have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}
