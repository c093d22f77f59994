import type { Message } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { answerFailure } from '../dialects/openai-chat/failure/decode.ts';
import { readObject } from './read-object.ts';

/** What an upstream's first event says, where that is an error: it took the connection only to tell why it refuses. */
export function failureIn({ data, text }: Message, provider: string): GatewayError | undefined {
  if (!text) return undefined;
  const event = readObject(data);
  return event?.type === 'error' ? from(event.error, provider) : undefined;
}

/** What an upstream's close means that came before any event; the reason may hold a code, as `type.code`. */
export function refusedByClosing(reason: string, provider: string): GatewayError {
  const code = /^[\w]+\.(\w+)$/.exec(reason)?.[1];
  return from(code ? { code, message: reason } : { message: 'The upstream closed the session.' }, provider);
}

function from(given: unknown, provider: string): GatewayError {
  const { kind, message, details } = answerFailure(given);
  return new GatewayError(kind, message, { ...details, upstream: { provider } });
}
