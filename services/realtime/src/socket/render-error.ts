import { randomBytes } from 'node:crypto';
import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isSlowBody, type RenderedError, renderChatError } from '@model-gateway/formats/client';

/** Code of the error for a GET without an upgrade. */
export const upgradeRequired = 'upgrade_required';

/** Codes that end a session without a fault of the client, which may reconnect to another process. */
const goingAway: ReadonlySet<string | undefined> = new Set([
  'server_shutdown',
  'session_expired',
  'idle_timeout',
]);

const closeCodes: Record<ErrorKind, number> = {
  'invalid-request': 1008,
  unauthenticated: 1008,
  forbidden: 1008,
  'not-found': 1008,
  'too-large': 1009,
  'rate-limited': 1013,
  'quota-exceeded': 1008,
  overloaded: 1013,
  timeout: 1011,
  upstream: 1011,
  cancelled: 1011,
  internal: 1011,
};

/** Renders an error before the upgrade, as an HTTP response. */
export function renderError(error: GatewayError): RenderedError {
  const rendered = renderChatError(error);
  return error.details.code === upgradeRequired ? { ...rendered, status: 426 } : rendered;
}

/** Renders the event of an error: one that ends a session, or refuses the client's event with the id `eventId`. */
export function renderErrorEvent(error: GatewayError, eventId: string | null = null): string {
  const { error: rendered } = renderChatError(error).body as { error: Record<string, unknown> };
  const { type, code, message, param } = rendered;
  const event_id = `event_${randomBytes(12).toString('hex')}`;
  return JSON.stringify({
    type: 'error',
    event_id,
    error: { type, code, message, param, event_id: eventId },
  });
}

/** Renders the close frame that follows the error event. */
export function renderClose(error: GatewayError): { code: number; reason: string } {
  const { kind, details } = error;
  const reason = details.code ?? kind;
  // A slow client would be as slow in another session, and one that an administrator ended is not wanted: no invitation to reconnect.
  if (isSlowBody(error) || details.endedBy) return { code: closeCodes['invalid-request'], reason };
  return { code: goingAway.has(details.code) ? 1001 : closeCodes[kind], reason };
}
