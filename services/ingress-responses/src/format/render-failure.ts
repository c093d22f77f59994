import type { Ending, ErrorKind, FinishReason, GatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/ingress';
import type { ChatErrorBody } from '@model-gateway/wire';
import { frame } from './writer.ts';

/** What clients tell a failed response by. Agents try again what the server is to blame for. */
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

/** Why a response failed, as it says itself. */
export function renderFailure({ kind, message, details }: GatewayError): { code: string; message: string } {
  const own = kind === 'invalid-request' || kind === 'too-large' ? details.code : undefined;
  return { code: own ?? codes[kind], message };
}

/** The fields of the `error` event: flat, as OpenAI has them, and in an object, as Open Responses has. */
export function renderErrorFields(error: GatewayError): Record<string, unknown> {
  const { code, message } = renderFailure(error);
  const body = renderChatError(error).body as ChatErrorBody;
  const { type, param } = body.error;
  return { code, message, param, error: { type, code, message, param } };
}

/** The last event of a stream of which nothing is known. */
export function renderErrorEvent(error: GatewayError): string {
  return frame('error', 0, renderErrorFields(error));
}

/** Why an answer is not whole; null for one that is. */
const incomplete: Record<FinishReason, string | null> = {
  stop: null,
  'stop-sequence': null,
  'tool-calls': null,
  other: null,
  length: 'max_output_tokens',
  // The turn is not over, and the client should not take it for whole.
  pause: 'max_output_tokens',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
};

/** `refused`: the answer holds the model's words for why it gives none, which are a whole answer. */
export function renderIncomplete({ reason }: Ending, refused: boolean): { reason: string } | null {
  const why = refused && reason === 'refusal' ? null : incomplete[reason];
  return why === null ? null : { reason: why };
}

/** The upstream's explanation of a refusal that it gave no text for. */
export function lateRefusal({ reason, explanation }: Ending, refused: boolean): string | undefined {
  const refuses = reason === 'refusal' || reason === 'content-filter';
  return refuses && !refused && explanation ? explanation : undefined;
}
