import type { ErrorKind, GatewayError } from '@model-gateway/canonical';
import { type ChatErrorBody, renderChatError } from '../client/render-errors.ts';
import { frame } from './writer.ts';

/** The error codes of failed responses. Agents retry the codes that indicate a server error. */
const codes: Record<ErrorKind, string> = {
  'invalid-request': 'invalid_prompt',
  unauthenticated: 'server_error',
  forbidden: 'server_error',
  'not-found': 'server_error',
  'too-large': 'invalid_prompt',
  'rate-limited': 'rate_limit_exceeded',
  'quota-exceeded': 'insufficient_quota',
  overloaded: 'server_is_overloaded',
  timeout: 'server_error',
  upstream: 'server_error',
  cancelled: 'server_error',
  internal: 'server_error',
};

/** Renders the `error` field of a failed response. */
export function renderFailure({ kind, message, details }: GatewayError): { code: string; message: string } {
  const hasCode = kind === 'invalid-request' || kind === 'too-large' || details.endedBy !== undefined;
  return { code: (hasCode && details.code) || codes[kind], message };
}

/** Renders the fields of the `error` event: flat as in OpenAI's API, and nested as in Open Responses. */
export function renderErrorFields(error: GatewayError): Record<string, unknown> {
  const { code, message } = renderFailure(error);
  const body = renderChatError(error).body as ChatErrorBody;
  const { type, param } = body.error;
  return { code, message, param, error: { type, code, message, param } };
}

/** Renders an error as the only event of a stream whose renderer is unknown. */
export function renderErrorEvent(error: GatewayError): string {
  return frame('error', 0, renderErrorFields(error));
}
