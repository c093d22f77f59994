import { Pieces } from './pieces.ts';

/** The largest event, in bytes. */
export const maxSseEvent = 32 * 1024 * 1024;

/** The most bytes of earlier pieces that can belong to an event's end. */
const seamBytes = 3;
const noBytes = Buffer.alloc(0);

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

  /** True if bytes of an unfinished event are held. */
  get unfinished(): boolean {
    return this.#tail.length > 0;
  }

  /** The bytes of the unfinished event. */
  get rest(): Buffer {
    return this.#tail.whole();
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

/** Returns the offset after the last empty line; 0 if there is none. */
function lastBlankLine(bytes: Buffer): number {
  let end = 0;
  for (const blank of blankLines) {
    const at = bytes.lastIndexOf(blank);
    if (at >= 0) end = Math.max(end, at + blank.length);
  }
  return end;
}
