import { memberText } from '@model-gateway/canonical';

/** What is known of a turn beside its texts. */
export interface TurnMeta {
  id: string;
  /** When it began, in milliseconds since 1970. */
  at: number;
  /** The ids of the turns before it, as far back as this turn knows them, the latest first. */
  before: string[];
  /** It was streamed, so that its events can be read again. */
  stream: boolean;
  conversation?: string;
  /** The process that answered was lost, and with it what came before the response. */
  lost?: true;
  background?: Background;
}

/** How a turn in the background is done. */
export interface Background {
  tokenHash: string;
  /** The request's headers that matter, and its text. */
  request: string;
  /** Each attempt, as it began and ended. */
  attempts: { at: number; ended?: number; error?: string }[];
}

/** A turn that is kept: JSON texts in which nothing was changed by reading and writing it. */
export interface Turn {
  meta: TurnMeta;
  /** Items of all turns before it, where they are kept with it: joined by commas. */
  base: string;
  /** The items that came with the request, joined by commas. */
  input: string;
  /** The response object. */
  response: string;
}

const order = ['base', 'input', 'response'] as const;

/** A line of JSON that says how long each text is, then the texts. */
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

/** The items of a turn as the next one is to know them, joined by commas. */
export function itemsOf(turn: Turn): string {
  return joined([turn.base, turn.input, outputOf(turn)]);
}

/** The items that a response holds, joined by commas. */
export function outputOf({ response }: Pick<Turn, 'response'>): string {
  return inner(memberText(Buffer.from(response), 'output') ?? '[]');
}

/** `queued`, `in_progress`, or how it ended. */
export function statusOf({ response }: Pick<Turn, 'response'>): string {
  return JSON.parse(memberText(Buffer.from(response), 'status') ?? '""');
}

export function isOver(turn: Pick<Turn, 'response'>): boolean {
  return !['queued', 'in_progress'].includes(statusOf(turn));
}

/** What is between an array's brackets. */
export function inner(array: string): string {
  return array.trim().slice(1, -1).trim();
}

export function joined(lists: readonly string[]): string {
  return lists.filter(list => list !== '').join(',');
}
