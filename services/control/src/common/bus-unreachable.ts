import { type GatewayError, overloaded } from '@model-gateway/canonical';

/** The error for a change that was not made, or was taken back, because NATS cannot be reached. */
export function nothingChanged(): GatewayError {
  return unreachable('Nothing was changed.');
}

/** The error for a change that the database holds, while NATS cannot be reached. */
export function changeWaits(): GatewayError {
  return unreachable('The change will take effect once it is back.');
}

function unreachable(outcome: string): GatewayError {
  return overloaded('bus_unavailable', `The message bus cannot be reached. ${outcome}`, {
    retryAfterMs: 1_000,
  });
}
