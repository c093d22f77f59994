import { GatewayError } from '@model-gateway/canonical';

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
