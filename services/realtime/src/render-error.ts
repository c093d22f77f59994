import { randomBytes } from 'node:crypto';
import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { isSlowBody, type RenderedError, renderChatError } from '@model-gateway/ingress';

/** A GET without an upgrade. */
export const upgradeRequired = 'upgrade_required';

/** What ends a session that has done nothing wrong; clients come back then, perhaps to another process. */
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

/** An error before the upgrade, as over HTTP. */
export function renderError(error: GatewayError): RenderedError {
  const rendered = renderChatError(error);
  return error.details.code === upgradeRequired ? { ...rendered, status: 426 } : rendered;
}

/** The event that tells of the error that ends a session. */
export function renderErrorEvent(error: GatewayError): string {
  const { error: told } = renderChatError(error).body as { error: Record<string, unknown> };
  const { type, code, message, param } = told;
  const event_id = `event_${randomBytes(12).toString('hex')}`;
  return JSON.stringify({ type: 'error', event_id, error: { type, code, message, param, event_id: null } });
}

/** The close frame that follows it. */
export function renderClose(error: GatewayError): { code: number; reason: string } {
  const { kind, details } = error;
  const reason = details.code ?? kind;
  // A client that is slow would be as slow in another session.
  if (isSlowBody(error)) return { code: closeCodes['invalid-request'], reason };
  return { code: goingAway.has(details.code) ? 1001 : closeCodes[kind], reason };
}
