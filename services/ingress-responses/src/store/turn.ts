import type { Reservation, ResponseSink } from '@model-gateway/ingress';
import { memberText, stepBytes } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import { pieceBytes, type StoredHead } from '@model-gateway/store';
import { ItemList, type ItemPlace, itemPlaces } from '../items/item-list.ts';

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
  /** The bytes of the items before it, since the last compaction; absent without any. */
  itemsBefore?: number;
  /** True if the gateway process was lost, and with it the turn's input and history. */
  lost?: true;
  background?: Background;
}

/** The state of a background turn. */
export interface Background {
  tokenHash: string;
  /** The `traceparent` of the request that queued it, if it had one. */
  trace?: string;
  /** The betas that its client turned on, if any. */
  betas?: string;
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

/** A turn as it is stored. */
interface WrittenTurn {
  value: Buffer;
  /** The sizes of its sections: the line, the texts and, in a turn that is larger than a piece, the index. */
  sections: number[];
}

/** The places of a large turn's items, so that a reader needs to read only some of them. */
interface TurnIndex extends Record<'base' | 'input', ItemPlace[]> {
  lost?: true;
}

/**
 * Encodes a turn as one line of JSON with the length of each text in bytes, followed by the texts and by the
 * index of a large turn, which is made in steps.
 */
export async function writeTurn({ meta, ...texts }: Turn): Promise<WrittenTurn> {
  const size = order.reduce((sum, name) => sum + texts[name].length, 0);
  const parts: Buffer[] = [];
  for (const name of order) {
    if (texts[name].length > stepBytes) await nextTurn(size);
    parts.push(Buffer.from(texts[name]));
  }
  const lengths = parts.map(part => part.length);
  const line = Buffer.from(`${JSON.stringify({ meta, lengths })}\n`);
  const all = [line, ...parts];
  if (all.reduce((sum, { length }) => sum + length, 0) > pieceBytes) {
    const [base, input] = parts as [Buffer, Buffer];
    await nextTurn(size);
    const index: TurnIndex = { base: itemPlaces(base), input: [], ...(meta.lost && { lost: true }) };
    await nextTurn(size);
    index.input = itemPlaces(input);
    all.push(Buffer.from(JSON.stringify(index)));
    await nextTurn(size);
  }
  return { value: Buffer.concat(all), sections: all.map(({ length }) => length) };
}

/** The sections of a stored turn, in order. */
const sectionNames = ['line', ...order, 'index'] as const;

/** Returns where a section of a stored turn begins and ends; undefined if it has none. */
function sectionOf(
  sections: readonly number[],
  name: (typeof sectionNames)[number],
): { from: number; to: number } | undefined {
  const place = sectionNames.indexOf(name);
  const size = sections[place];
  if (size === undefined) return undefined;
  const from = sections.slice(0, place).reduce((sum, length) => sum + length, 0);
  return { from, to: from + size };
}

function readTurn(bytes: Buffer): Turn {
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

/** Reads the bytes of a stored value from `from` up to `to`. */
export type Slice = (from: number, to: number) => Promise<Buffer>;

/** A turn with its revision, which the next write of it must name. */
export interface StoredTurn extends Turn {
  revision: number;
  /** Its size in the store, in bytes. */
  bytes: number;
}

/** Returns the turn in a stored value; undefined for that of a deleted response. */
export function turnIn({ value, revision }: { value: Buffer; revision: number }): StoredTurn | undefined {
  return value.length === 0 ? undefined : { ...readTurn(value), revision, bytes: value.length };
}

async function wholeTurn(head: StoredHead, slice: Slice): Promise<StoredTurn | undefined> {
  return turnIn({ value: await slice(0, head.bytes), revision: head.revision });
}

/** Reads the response object of a turn as JSON, without its input if it is large. */
export async function readResponse(head: StoredHead, slice: Slice): Promise<string | undefined> {
  const place = sectionOf(head.sections, 'response');
  if (place) return (await slice(place.from, place.to)).toString();
  return (await wholeTurn(head, slice))?.response;
}

/** Returns the items in sections of a turn, of which those of a large one are read when they are asked for. */
export async function itemsIn(
  head: StoredHead,
  slice: Slice,
  names: readonly ('base' | 'input')[],
): Promise<ItemList | undefined> {
  const place = sectionOf(head.sections, 'index');
  if (!place) {
    const turn = await wholeTurn(head, slice);
    return turn && !turn.meta.lost ? ItemList.of(joined(names.map(name => turn[name]))) : undefined;
  }
  const index: TurnIndex = JSON.parse((await slice(place.from, place.to)).toString());
  if (index.lost) return undefined;
  const places = names.flatMap(name => {
    const start = sectionOf(head.sections, name)?.from ?? 0;
    return index[name].map(([from, to, id]) => [start + from, start + to, id] as const);
  });
  return new ItemList(places, slice);
}
