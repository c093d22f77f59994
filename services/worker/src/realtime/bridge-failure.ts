import type { Message } from '@model-gateway/bus';
import { type FinishEvent, GatewayError } from '@model-gateway/canonical';
import { answerFailure } from '../dialects/decode-openai-failure.ts';
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

/** The most bytes that a close reason may have. */
const maxReason = 123;

/** How an upstream's close is told to the client; undefined where the upstream did not close but broke off. */
export function relayedClose(code: number, reason: string): FinishEvent['closed'] {
  const sent = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isOwn(code);
  if (sent) return { code, reason: shortened(reason) };
  // Closed in good order, without a word.
  return code === 1005 ? { code: 1011, reason: '' } : undefined;
}

function isOwn(code: number): boolean {
  return code >= 3000 && code <= 4999;
}

/** As much of a text as a close frame can hold. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxReason) return text;
  return bytes.toString('utf8', 0, maxReason).replace(/\uFFFD$/, '');
}
