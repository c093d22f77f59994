import { type Edits, spliceTopLevel } from '@model-gateway/json';
import { type SseEvent, sseEvent } from '@model-gateway/sse';
import { chatDone } from '../chat/answer.ts';
import { objectIn, type Parse, readJson, type StreamEvent } from './read-json.ts';

/** The event that ends a stream of chat. */
const doneEvent = sseEvent(chatDone);

/** The longest data that is compared with the end mark: relays write it with other spaces, quotes and letters. */
const maxMark = 16;
const inexactMark = /^\s*"?\[done\]"?\s*$/i;

/** True for data that is the end mark. */
export function isDone(data: string): boolean {
  return data === chatDone || (data.length <= maxMark && inexactMark.test(data));
}

/** Returns what is passed on in place of an end mark of another format or spelling; undefined for any other event. */
export function sentMark({ data }: SseEvent, mark = doneEvent): string | undefined {
  const isOwn = data === chatDone && mark === doneEvent;
  return isDone(data) && !isOwn ? mark : undefined;
}

/** True for the bytes of an end mark without the line ends after it. */
export function isUnfinishedMark(rest: Buffer): boolean {
  return /^data: *\[DONE\]\s*$/i.test(rest.toString('latin1'));
}

/** Names of the events that only keep a connection alive. */
const heartbeats: ReadonlySet<string> = new Set(['ping', 'keepalive', 'keep-alive', 'heartbeat']);

const space = 0x20;

/** True for an event without content, as servers send to keep a connection alive. An error without data is no such event. */
export function isSilent({ event, data }: SseEvent): boolean {
  if (event !== undefined && heartbeats.has(event)) return true;
  if (data.length > 4 && data.charCodeAt(0) > space) return false;
  const text = data.trim();
  // A name tells more than an empty object.
  if (text === '{}') return event === undefined;
  return (text === '' || text === 'null' || text === '""') && event !== 'error';
}

/** The parts of a format's reader that its last event needs. */
interface LastReader {
  skips?(event: SseEvent): boolean;
  parser?(data: string): Parse;
}

/** True for an event without content that clients of its format may not take: its data is no object with fields. */
export function isUntidy({ data }: SseEvent): boolean {
  return data.length <= 4 || !data.startsWith('{');
}

/** Edits the members of an event's JSON object. The edited event is passed on in its place. */
export function editEvent(event: StreamEvent, edits: Edits): void {
  // Within JSON, a line break is whitespace.
  event.data = spliceTopLevel(Buffer.from(event.data), edits).toString('utf8').replaceAll('\n', ' ');
  event.sent = sseEvent(event.data, event.event);
}

/** Leaves out an error without content, at which clients would fail. */
export const withoutError: Edits = new Map([['error', null]]);

/** Returns the events of a stream's rest, parsed; undefined if the stream ended within one of them. */
export function wholeEvents(
  events: StreamEvent[],
  rest: Buffer,
  reader: LastReader,
): StreamEvent[] | undefined {
  if (events.length === 0) return bareError(rest);
  for (const event of events) {
    if (isSilent(event) || isDone(event.data) || reader.skips?.(event)) continue;
    // A part of the mark says nothing new.
    if (chatDone.startsWith(event.data)) return [];
    event.ahead ??= { value: readJson(event.data, reader.parser?.(event.data)) };
    if (event.ahead.value === undefined) return undefined;
  }
  return events;
}

/** The largest bare JSON error that is read, in bytes. */
const maxError = 64 * 1024;

/** Reads an error that an upstream wrote as bare JSON in place of an event; undefined for any other JSON. */
function bareError(rest: Buffer): StreamEvent[] | undefined {
  if (!/^\s*[{[]/.test(rest.toString('latin1', 0, maxMark))) return [];
  if (rest.length > maxError) return undefined;
  const data = rest.toString('utf8').trim();
  const value = readJson(data);
  return objectIn(Array.isArray(value) ? value[0] : value)?.error ? [{ data, ahead: { value } }] : undefined;
}

/**
 * Tells the one choice that was asked for from others. Its index is not believed: some servers count it up from chunk to chunk, or begin at
 * another number.
 */
export class OneChoice {
  readonly #wantsOne: () => boolean;
  #isWanted: boolean | undefined;
  #first: number | undefined;
  #last: number | undefined;
  /** True once an index came twice, or beside another: then it tells choices apart. */
  #isSteady = false;

  /** `wantsOne` is called once an index needs it. */
  constructor(wantsOne: () => boolean) {
    this.#wantsOne = wantsOne;
  }

  /** Sets the index of each choice of a chunk: 0 for the one choice, if one was asked for. Returns true if another index was sent. */
  place(choices: readonly { index?: number | null | undefined }[]): boolean {
    if (choices.length > 1) this.#isSteady = true;
    let isOther = false;
    for (const choice of choices) {
      const index = Number(choice.index) || 0;
      const isFirst = this.#isFirst(index);
      choice.index = index;
      if (isFirst === (index === 0)) continue;
      this.#isWanted ??= this.#wantsOne();
      if (this.#isWanted) choice.index = isFirst ? 0 : 1;
      isOther ||= choice.index !== index;
    }
    return isOther;
  }

  /** True for an index of the choice that began first. */
  #isFirst(index: number): boolean {
    if (index === this.#last || index === this.#first) this.#isSteady = true;
    else if (this.#last !== undefined && (this.#isSteady || index < this.#last)) return false;
    this.#first ??= index;
    this.#last = index;
    return true;
  }
}

/** The most names of an upstream's counts that are kept. */
const mostNames = 100;

type Counts = Record<string, unknown>;

/**
 * Merges counts that only grow: the larger of each is kept, so a later usage with zeros, or with only some of the counts, says
 * nothing new. Counts within an object or a list are merged likewise. Of any other value, the later replaces the earlier.
 */
export function laterTotals<T extends Counts>(earlier: T | undefined, later: T): T {
  const totals: Counts = { ...earlier };
  let room = mostNames - Object.keys(totals).length;
  for (const name of Object.keys(later)) {
    const value = later[name];
    if (value === null || value === undefined) continue;
    const isKnown = Object.hasOwn(totals, name);
    if (!isKnown && room-- <= 0) continue;
    totals[name] = isKnown ? larger(totals[name], value) : value;
  }
  return totals as T;
}

function larger(earlier: unknown, later: unknown): unknown {
  if (typeof earlier === 'number') return typeof later === 'number' ? Math.max(earlier, later) : earlier;
  if (Array.isArray(earlier)) return Array.isArray(later) ? largerList(earlier, later) : earlier;
  const counts = objectIn(earlier);
  if (!counts) return later;
  const more = objectIn(later);
  return more ? laterTotals(counts, more) : counts;
}

/** Merges lists with an entry for each modality, as Google has them. Any other list replaces the earlier one unless it is empty. */
function largerList(earlier: readonly unknown[], later: readonly unknown[]): readonly unknown[] {
  if (later.length === 0) return earlier;
  const totals = new Map<unknown, Counts>();
  for (const list of [earlier, later]) {
    for (const entry of list) {
      const counts = objectIn(entry);
      if (typeof counts?.modality !== 'string') return later;
      if (totals.has(counts.modality) || totals.size < mostNames)
        totals.set(counts.modality, laterTotals(totals.get(counts.modality), counts));
    }
  }
  return [...totals.values()];
}

/**
 * Numbers things from 0 in the order in which they appear, as clients do, if the upstream counts from another number. From 0 its own
 * numbers count.
 */
export class Appearance {
  #places: Map<number, number> | undefined;
  #isOwn = false;

  /** Returns the place of the thing with an upstream's number. */
  of(number: number): number {
    if (this.#isOwn) return number;
    if (!this.#places) {
      this.#isOwn = number === 0;
      if (this.#isOwn) return number;
      this.#places = new Map();
    }
    const place = this.#places.get(number) ?? this.#places.size;
    this.#places.set(number, place);
    return place;
  }
}
