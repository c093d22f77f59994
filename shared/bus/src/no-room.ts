import { GatewayError } from '@model-gateway/canonical';

/** When a call that found no room should be made again, in milliseconds. */
const retryAfterMs = 5_000;

/** Every worker was full, or there was none. */
export function noRoom(queueMs: number): GatewayError {
  const message = `No worker had room within ${queueMs / 1000} s.`;
  return new GatewayError('overloaded', message, { retryAfterMs });
}

/** Workers had room, but none for the call's token. */
export function overShare(queueMs: number): GatewayError {
  const message = `This token runs half of all that the workers serve or more, and none of it ended within ${queueMs / 1000} s: the places that are left are for others. Wait until some of its requests have ended.`;
  return new GatewayError('rate-limited', message, { retryAfterMs, share: true });
}
