/** The largest event, in bytes. */
export const maxSseEvent = 32 * 1024 * 1024;

/** The most bytes of earlier pieces that can belong to an event's end. */
const seamBytes = 3;
const noBytes = /* @__PURE__ */ Buffer.alloc(0);

/** Thrown for an event with too many bytes or lines. */
export class EventTooLarge extends Error {
  constructor() {
    super(`an event is larger than ${maxSseEvent / 1024 / 1024} MB`);
  }
}

/** Cuts a `text/event-stream` after whole events, unparsed; an unfinished event waits for more bytes. */
export class EventSplitter {
  readonly #tail = new Pieces();
  /** The last bytes of the tail. */
  #seam: Buffer = noBytes;

  /** Returns the bytes of all events that are complete; empty if none is. @throws EventTooLarge */
  push(bytes: Buffer): Buffer {
    if (this.#tail.length === 0 && endsWithBlankLine(bytes)) return bytes;
    const end = this.#lastBoundary(bytes);
    if (end === 0) {
      this.#hold(bytes);
      return bytes.subarray(0, 0);
    }
    this.#tail.add(bytes.subarray(0, end));
    const whole = this.#tail.take();
    this.#seam = noBytes;
    if (end < bytes.length) this.#hold(bytes.subarray(end));
    return whole;
  }

  /** True if bytes of an unfinished event are held. */
  get unfinished(): boolean {
    return this.#tail.length > 0;
  }

  /** Number of bytes of the unfinished event. */
  get held(): number {
    return this.#tail.length;
  }

  /** The bytes of the unfinished event. */
  get rest(): Buffer {
    return this.#tail.whole();
  }

  /** Ends the stream: returns the unfinished event with the line ends that it lacks; empty if there is none. */
  end(): Buffer {
    if (this.#tail.length === 0) return noBytes;
    this.#tail.add(Buffer.from(this.#seam.at(-1) === lineFeed ? '\n' : '\n\n'));
    this.#seam = noBytes;
    return this.#tail.take();
  }

  #hold(bytes: Buffer): void {
    this.#tail.add(bytes);
    this.#seam =
      bytes.length >= seamBytes
        ? bytes.subarray(-seamBytes)
        : Buffer.concat([this.#seam, bytes]).subarray(-seamBytes);
    if (this.#tail.length > maxSseEvent) throw new EventTooLarge();
  }

  /** Returns the offset after the last event that ends in `bytes`, else 0. Its end may begin in the tail. */
  #lastBoundary(bytes: Buffer): number {
    const end = lastBlankLine(bytes);
    if (end > 0 || this.#tail.length === 0) return end;
    const seam = Buffer.concat([this.#seam, bytes.subarray(0, seamBytes)]);
    return Math.max(0, lastBlankLine(seam) - this.#seam.length);
  }
}

/** Empty lines that end an event. The specification also allows a lone CR, which no server writes. */
const blankLines = ['\n\n', '\n\r\n'];

/** True if the bytes end after an event, as most reads from an upstream do. */
function endsWithBlankLine(bytes: Buffer): boolean {
  return bytes.length > 1 && bytes.at(-1) === lineFeed && bytes.at(-2) === lineFeed;
}

/** Returns the offset after the last empty line; 0 if there is none. */
function lastBlankLine(bytes: Buffer): number {
  let end = 0;
  for (const blank of blankLines) {
    const at = bytes.lastIndexOf(blank);
    if (at >= 0) end = Math.max(end, at + blank.length);
  }
  return end;
}

/** The most pieces that are stored before they are joined. */
const mostSmall = 1_024;

/** Bytes that arrive in pieces, possibly of one byte each: small pieces are joined as they arrive. */
export class Pieces {
  #joined: Buffer[] = [];
  #small: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#small.push(piece);
    this.#length += piece.length;
    if (this.#small.length < mostSmall) return;
    this.#joined.push(Buffer.concat(this.#small));
    this.#small = [];
  }

  /** Returns the first bytes; those of a single piece are not copied. */
  first(most: number): Buffer {
    const only = this.#only;
    if (only) return only.subarray(0, most);
    const pieces: Buffer[] = [];
    let left = most;
    for (const piece of [...this.#joined, ...this.#small]) {
      if (left <= 0) break;
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** Returns all bytes; a single piece is not copied. */
  whole(): Buffer {
    return this.#only ?? Buffer.concat([...this.#joined, ...this.#small]);
  }

  get #only(): Buffer | undefined {
    return this.#joined.length === 0 && this.#small.length === 1 ? this.#small[0] : undefined;
  }

  /** Removes and returns all bytes. */
  take(): Buffer {
    const whole = this.whole();
    this.clear();
    return whole;
  }

  /** Returns a copy of all bytes. */
  copy(): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of [...this.#joined, ...this.#small]) {
      copy.set(piece, at);
      at += piece.length;
    }
    return copy;
  }

  clear(): void {
    this.#joined = [];
    this.#small = [];
    this.#length = 0;
  }
}

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
  // One event with one line of data, as most reads from an upstream are.
  const line = text.indexOf('\n', start);
  if (line > 0 && line === text.length - 2 && text.startsWith('data: ', start) && text.endsWith('\n\n'))
    if (text.charCodeAt(line - 1) !== carriageReturn) return [{ data: text.slice(start + 6, line) }];
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
  const events: string[] = [];
  let start = 0;
  for (const { 0: blank, index } of whole.matchAll(/\n(?:\r?\n)+/g)) {
    const end = index + blank.length;
    events.push(whole.slice(start, end));
    start = end;
  }
  return events;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const byteOrderMark = 0xfeff;

const lineSeparators = /[\u2028\u2029]/g;

/**
 * Returns JSON for a `data:` line. U+2028 and U+2029 are escaped, since some readers take them for line ends.
 */
export function dataJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Almost no text has one of them, and looking for them costs less than the replacement.
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replace(lineSeparators, c => (c === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** Returns one event: an optional name, and the data on one line. */
export function sseEvent(data: string, name?: string): string {
  return name ? `event: ${name}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/** Returns a comment: it keeps the connection alive, and readers ignore it. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}

/** Returns the bytes of the first `count` complete events. Comments are not counted. */
export function firstEvents(whole: Buffer, count: number): Buffer {
  if (count <= 0) return whole.subarray(0, 0);
  const reader = new EventReader();
  const kept: string[] = [];
  let left = count;
  for (const event of splitEvents(whole.toString('utf8'))) {
    if (left <= 0) break;
    left -= reader.read(Buffer.from(event)).length;
    kept.push(event);
  }
  return Buffer.from(kept.join(''));
}
