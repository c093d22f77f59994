import { EventTooLarge } from './splitter.ts';

/** One server-sent event, as far as anybody looks at it. */
export interface SseEvent {
  event?: string;
  data: string;
}

/** The most lines of one event. */
export const maxEventLines = 10_000;

/** Reads whole events, as {@link EventSplitter} cuts them, into their fields; comments and unknown fields are left out. */
export class EventReader {
  #begun = false;

  /** @throws EventTooLarge for an event of too many lines */
  read(whole: Buffer): SseEvent[] {
    if (whole.length === 0) return [];
    const text = whole.toString('utf8');
    const hasMark = !this.#begun && text.charCodeAt(0) === byteOrderMark;
    this.#begun = true;
    return readEvents(text, hasMark ? 1 : 0);
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

/** The value of a line, without the blank that may begin it; undefined for a line of another field. */
function fieldValue(field: string, text: string, start: number, end: number): string | undefined {
  if (!text.startsWith(field, start)) return undefined;
  const after = start + field.length;
  if (after === end) return '';
  if (text.charCodeAt(after) !== colon) return undefined;
  const blank = text.charCodeAt(after + 1) === space && after + 1 < end;
  return text.slice(after + (blank ? 2 : 1), end);
}

/** Each event of a text on its own, byte for byte, the empty line after it included. */
export function splitEvents(whole: string): string[] {
  return whole.match(/[\s\S]*?\n(?:\r?\n)+/g) ?? [];
}

const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const byteOrderMark = 0xfeff;
