import type { Reservation, ResponseSink } from '@model-gateway/ingress';
import { memberText } from '@model-gateway/json';

/** The metadata of a turn. */
export interface TurnMeta {
  id: string;
  /** The start time, in milliseconds since 1970. */
  at: number;
  /** The ids of the turns before it, the latest first; of a long history, only the latest ones. */
  before: string[];
  /** True if the response was streamed: its events are then stored. */
  stream: boolean;
  conversation?: string;
  /** True if the gateway process was lost, and with it the turn's input and history. */
  lost?: true;
  background?: Background;
}

/** The state of a background turn. */
export interface Background {
  tokenHash: string;
  /** The `traceparent` of the request that queued it, if it had one. */
  trace?: string;
  /** The request body; empty once the turn has ended. */
  request: string;
  /** The attempts, with start and end in milliseconds since 1970. */
  attempts: { at: number; ended?: number; error?: string }[];
}

/** A stored turn. Its JSON texts are never parsed and rewritten, so they stay unchanged. */
export interface Turn {
  meta: TurnMeta;
  /** The items of all turns before it, joined by commas, if they are stored with it; else empty. */
  base: string;
  /** The request's input items, joined by commas. */
  input: string;
  /** The response object as JSON. */
  response: string;
}

const order = ['base', 'input', 'response'] as const;

/** Encodes a turn as one line of JSON with the length of each text in bytes, followed by the texts. */
export function writeTurn({ meta, ...texts }: Turn): Buffer {
  const parts = order.map(name => Buffer.from(texts[name]));
  const line = JSON.stringify({ meta, lengths: parts.map(part => part.length) });
  return Buffer.concat([Buffer.from(`${line}\n`), ...parts]);
}

export function readTurn(bytes: Buffer): Turn {
  const end = bytes.indexOf('\n');
  const { meta, lengths } = JSON.parse(bytes.toString('utf8', 0, end));
  const texts: Record<string, string> = {};
  let at = end + 1;
  for (const [i, name] of order.entries()) {
    texts[name] = bytes.toString('utf8', at, at + lengths[i]);
    at += lengths[i];
  }
  return { meta, ...(texts as Pick<Turn, (typeof order)[number]>) };
}

/** Returns the history items, input and output of a turn, joined by commas. */
export function itemsOf(turn: Turn): string {
  return joined([turn.base, turn.input, outputOf(turn)]);
}

/** Returns a response's output items, joined by commas. */
export function outputOf({ response }: Pick<Turn, 'response'>): string {
  return inner(memberText(Buffer.from(response), 'output') ?? '[]');
}

/** Returns the response's `status`. */
export function statusOf({ response }: Pick<Turn, 'response'>): string {
  return JSON.parse(memberText(Buffer.from(response), 'status') ?? '""');
}

export function isOver(turn: Pick<Turn, 'response'>): boolean {
  return !['queued', 'in_progress'].includes(statusOf(turn));
}

/** Returns the text between an array's brackets. */
export function inner(array: string): string {
  return array.trim().slice(1, -1).trim();
}

export function joined(lists: readonly string[]): string {
  return lists.filter(list => list !== '').join(',');
}

/** Returns the bytes that a turn holds in memory until it is stored. */
function sizeOf({ meta, base, input }: Omit<Turn, 'response'>): number {
  const texts = [base, input, meta.background?.request ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/**
 * Reserves memory for a turn until the response ends or the returned function is called.
 * @throws GatewayError if the budget is used up
 */
export function holdTurn(share: Reservation, turn: Omit<Turn, 'response'>, to: ResponseSink): () => void {
  if (!to.destroyed) share.take(sizeOf(turn));
  to.on('close', () => share.release());
  return () => share.release();
}
