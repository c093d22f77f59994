import type { Clock, Timer } from '@model-gateway/clock';
import type { Response } from 'express';

/** Interval of the comments that keep a stream open, in milliseconds. */
const pingMs = 15_000;
/** Number of these intervals without a byte taken by a client, or since the end of its stream, after which it is cut off. */
const mostStuck = 4;
/** Unsent bytes from which on events are left out. */
const mostUnsent = 1024 * 1024;

/** Server-sent events to one client. A client that reads too slowly misses events, and is told how many. */
export class EventStream {
  readonly #response: Response;
  readonly #pinging: Timer;
  #missed = 0;
  #stuck = 0;

  constructor(response: Response, clock: Clock) {
    this.#response = response;
    response
      .status(200)
      .set('content-type', 'text/event-stream; charset=utf-8')
      .set('cache-control', 'no-store')
      .set('x-accel-buffering', 'no')
      .flushHeaders();
    response.write(': following\n\n');
    response.on('drain', () => {
      this.#stuck = 0;
    });
    this.#pinging = clock.setInterval(() => this.#ping(), pingMs);
    response.on('close', () => clock.clearInterval(this.#pinging));
  }

  /** Sends an event, or leaves it out. */
  send(event: string, data: object): void {
    if (this.#isOver) return;
    if (this.#response.writableLength > mostUnsent) this.#missed++;
    else this.#write(event, data);
  }

  /** Tells of events that were left out before they came here. */
  addMissed(changes: number): void {
    this.#missed += changes;
    if (!this.#isOver && this.#response.writableLength <= mostUnsent) this.#tellMissed();
  }

  /** True once nothing may be written any more. The client may still have to read what was. */
  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  #write(event: string, data: object): void {
    this.#tellMissed();
    this.#response.write(textOf(event, data));
  }

  #tellMissed(): void {
    if (this.#missed === 0) return;
    this.#response.write(textOf('missed', { changes: this.#missed }));
    this.#missed = 0;
  }

  #ping(): void {
    if (!this.#isOver && !this.#response.writableNeedDrain) this.#response.write(': keep-alive\n\n');
    else if (++this.#stuck >= mostStuck) this.#response.destroy();
  }
}

function textOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
