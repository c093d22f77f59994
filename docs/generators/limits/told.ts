import { fromErrorEvent, GatewayError, toErrorEvent } from '@model-gateway/canonical';
import { type RenderedError, renderChatError } from '@model-gateway/formats/client';
import { chatCompletions } from '../../../shared/formats/src/chat/endpoint.ts';

/** An error as a client of the chat format reads it: status, `code` and message. */
export function told(error: GatewayError): string {
  const named = error.details.path ? fromErrorEvent(toErrorEvent(error), chatCompletions.fieldNames) : error;
  return toldAs(renderChatError(named));
}

/** The same for an error that was rendered in any format. */
export function toldAs({ status, body, reason, retryAfterMs }: RenderedError): string {
  const why = reason ? ` (\`${reason}\`)` : '';
  const { error } = body as { error: { message: string; code?: unknown; type?: string; status?: string } };
  const retryAfter =
    retryAfterMs === undefined ? '' : `, \`retry-after: ${Math.ceil(retryAfterMs / 1_000)}\``;
  return `${status}${codeOf(error)}${why}${retryAfter}: ${error.message}`;
}

/** The chat format has a code or null, other formats a status or a type. */
function codeOf({ code, status, type }: { code?: unknown; status?: string; type?: string }): string {
  if (code === null) return '';
  return ` \`${typeof code === 'string' ? code : (status ?? type)}\``;
}

/** The error that a function throws. */
export async function failureOf(fail: () => unknown): Promise<GatewayError> {
  try {
    await fail();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error(`nothing was refused by ${fail}`);
}

/** Returns the client's answer for an error. */
export async function refusal(fail: () => unknown): Promise<string> {
  return told(await failureOf(fail));
}

/** The code and message of an event's JSON text, in words. */
export function toldEvent(event: string): string {
  const { status, error } = JSON.parse(event) as {
    status?: number;
    error: { code: string | null; message: string };
  };
  const code = [...(status === undefined ? [] : [`${status}`]), `\`${error.code}\``].join(' ');
  return `an \`error\` event, ${code}: ${error.message}`;
}
