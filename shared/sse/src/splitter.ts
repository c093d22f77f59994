import { Pieces } from './pieces.ts';

/** The most bytes that one event may hold. */
export const maxSseEvent = 32 * 1024 * 1024;

/** How much of what came before can belong to an event's end. */
const seamBytes = 3;
const noBytes = Buffer.alloc(0);

/** A line or event that no reader should have to hold. */
export class EventTooLarge extends Error {
  constructor() {
    super(`an event is larger than ${maxSseEvent / 1024 / 1024} MB`);
  }
}

/** Cuts a `text/event-stream` after whole events, without looking into them: what is unfinished waits for more bytes. */
export class EventSplitter {
  readonly #tail = new Pieces();
  /** The last bytes of the tail. */
  #seam: Buffer = noBytes;

  /** The bytes of every event that is whole now; empty if none is. @throws EventTooLarge */
  push(bytes: Buffer): Buffer {
    const end = this.#lastBoundary(bytes);
    if (end === 0) {
      this.#hold(bytes);
      return bytes.subarray(0, 0);
    }
    this.#tail.add(bytes.subarray(0, end));
    const whole = this.#tail.whole();
    this.#tail.clear();
    this.#seam = noBytes;
    if (end < bytes.length) this.#hold(bytes.subarray(end));
    return whole;
  }

  /** Whether bytes of an unfinished event are held. */
  get unfinished(): boolean {
    return this.#tail.length > 0;
  }

  #hold(bytes: Buffer): void {
    this.#tail.add(bytes);
    this.#seam =
      bytes.length >= seamBytes
        ? bytes.subarray(-seamBytes)
        : Buffer.concat([this.#seam, bytes]).subarray(-seamBytes);
    if (this.#tail.length > maxSseEvent) throw new EventTooLarge();
  }

  /** Where the last event that ends in `bytes` ends; 0 if none does. An event's end may have begun in the tail. */
  #lastBoundary(bytes: Buffer): number {
    const end = lastBlankLine(bytes);
    if (end > 0 || this.#tail.length === 0) return end;
    const seam = Buffer.concat([this.#seam, bytes.subarray(0, seamBytes)]);
    return Math.max(0, lastBlankLine(seam) - this.#seam.length);
  }
}

/** The ways in which an empty line can end an event. A lone CR, which the specification allows too, is written by nobody. */
const blankLines = ['\n\n', '\n\r\n'];

/** The offset after the last empty line; 0 if there is none. */
function lastBlankLine(bytes: Buffer): number {
  let end = 0;
  for (const blank of blankLines) {
    const at = bytes.lastIndexOf(blank);
    if (at >= 0) end = Math.max(end, at + blank.length);
  }
  return end;
}
