import { GatewayError } from '@model-gateway/canonical';
import { EventTooLarge } from '@model-gateway/sse';

/** What a stream fails of whose events could not be told apart or read; `cause` is what was thrown. */
export function unreadable(cause: unknown): GatewayError {
  const what = cause instanceof EventTooLarge ? 'an event that is too large' : 'a malformed event';
  return new GatewayError('upstream', `The upstream sent ${what}.`, {}, { cause });
}
