import { EventTooLarge } from './splitter.ts';

/** One server-sent event, reduced to the fields that the gateway reads. */
export interface SseEvent {
  event?: string;
  data: string;
}

/** The most lines of one event. */
export const maxEventLines = 10_000;

/** Parses whole events, as {@link EventSplitter} cuts them; comments and unknown fields are left out. */
export class EventReader {
  #begun = false;

  /** @throws EventTooLarge for an event of too many lines */
  read(whole: Buffer): SseEvent[] {
    if (whole.length === 0) return [];
    const text = whole.toString('utf8');
    const hasByteOrderMark = !this.#begun && text.charCodeAt(0) === byteOrderMark;
    this.#begun = true;
    return readEvents(text, hasByteOrderMark ? 1 : 0);
  }
}

function readEvents(text: string, start: number): SseEvent[] {
  const events: SseEvent[] = [];
  let current = new Fields();
  for (let at = start; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline;
    const end = next > at && text.charCodeAt(next - 1) === carriageReturn ? next - 1 : next;
    if (end === at) {
      const event = current.event();
      if (event) events.push(event);
      current = new Fields();
    } else current.add(text, at, end);
    at = next + 1;
  }
  return events;
}

/** The lines of one event. */
class Fields {
  readonly #data: string[] = [];
  #name = '';
  #lines = 0;

  add(text: string, start: number, end: number): void {
    if (++this.#lines > maxEventLines) throw new EventTooLarge();
    const data = fieldValue('data', text, start, end);
    if (data !== undefined) this.#data.push(data);
    else this.#name = fieldValue('event', text, start, end) ?? this.#name;
  }

  event(): SseEvent | undefined {
    if (this.#data.length === 0) return undefined;
    const data = this.#data.join('\n');
    return this.#name === '' ? { data } : { event: this.#name, data };
  }
}

/** Returns the value of a line without its optional leading space; undefined for a line of another field. */
function fieldValue(field: string, text: string, start: number, end: number): string | undefined {
  if (!text.startsWith(field, start)) return undefined;
  const after = start + field.length;
  if (after === end) return '';
  if (text.charCodeAt(after) !== colon) return undefined;
  const blank = text.charCodeAt(after + 1) === space && after + 1 < end;
  return text.slice(after + (blank ? 2 : 1), end);
}

/** Splits a text into its events, byte for byte, each with the empty line after it. */
export function splitEvents(whole: string): string[] {
  return whole.match(/[\s\S]*?\n(?:\r?\n)+/g) ?? [];
}

const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const byteOrderMark = 0xfeff;
