import { type GatewayError, toErrorEvent } from '@model-gateway/canonical';
import type { InputBody } from '@model-gateway/formats/upstream';
import { jsonStep, parseInSteps, type Turn } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import type { AttemptEnd } from './attempt-record.ts';
import type { AttemptOptions } from './exchange.ts';
import { Quotes, unescaped } from './quotes.ts';
import { type Redacted, redact } from './redact.ts';
import { textsOf } from './request-texts.ts';

/** The most characters of a message that the ledger keeps. */
export const maxKept = 500;

/** The answer to an attempt that failed. */
interface Answered {
  status: number;
  /** The message of the error in its body, in the upstream's own words. */
  said: string | undefined;
}

type Words = Pick<AttemptEnd, 'upstreamStatus' | 'upstreamMessage'>;

/**
 * Returns what the ledger keeps of an upstream's words about a failed attempt: without secrets, and without what they quote of the
 * request. The gateway's own words take their place if the upstream had none.
 */
export async function wordsOf(
  error: GatewayError,
  { input, storesErrors, call }: Pick<AttemptOptions, 'input' | 'storesErrors' | 'call'>,
  answered: Answered | undefined,
  secrets: Redacted | undefined,
): Promise<Words> {
  const status = answered && { upstreamStatus: answered.status };
  if (!storesErrors || !secrets) return { ...status };
  const message = redact(answered?.said ?? ownWords(error), secrets);
  const turn = () => nextTurn(undefined, call.envelope.token.id);
  const upstreamMessage = await withoutQuotes(beginningOf(message), input, turn).catch(() => '');
  return { ...status, ...(upstreamMessage && { upstreamMessage }) };
}

/** Returns as much of a message as the ledger keeps. */
export function beginningOf(message: string): string {
  return message.length > maxKept ? `${message.slice(0, maxKept - 1)}…` : message;
}

/** Returns the gateway's message, with the code of the operating system for a connection that failed. */
function ownWords(error: GatewayError): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  const isCode = typeof code === 'string' && /^[A-Z][A-Z_]{2,40}$/.test(code);
  return `${toErrorEvent(error).message}${isCode ? ` (${code})` : ''}`;
}

async function withoutQuotes(message: string, input: InputBody, turn: Turn): Promise<string> {
  const quotes = new Quotes(message);
  for (const text of textsOf(await requestOf(input, turn))) {
    await look(quotes, text, turn);
    // The text of a tool's arguments is JSON in a text, and what a program wrote may be quoted as it was meant.
    if (text.includes('\\')) await look(quotes, unescaped(text), turn);
  }
  return quotes.rest;
}

function requestOf(input: InputBody, turn: Turn): unknown {
  if (input.body === 'canonical') return input.request;
  if (input.body === 'form') return Object.fromEntries(input.form.fields);
  return parseInSteps(input.text.toString('utf8'), turn);
}

async function look(quotes: Quotes, text: string, turn: Turn): Promise<void> {
  for (let from = 0; from < text.length; from += jsonStep) {
    if (from > 0) await turn();
    quotes.look(text, from, from + jsonStep);
  }
}
