import type { Socket } from 'node:net';
import { type GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import type { WebSocket } from 'ws';
import type { Reservation } from '../memory/budgets.ts';
import { lookEachSecond, Pace, type PaceLimits, slowMessage } from '../read/body.ts';
import { MessageProgress } from './message-progress.ts';

/** Bytes from which an incomplete message, or what a client has not taken, counts for its token. */
export const countedFrom = 64 * 1024;

/** Limits on the messages of a client. */
export interface MessageLimits extends PaceLimits {
  /** Messages and control frames that are read in a second. */
  messagesPerSecond: number;
}

/** The receiver of a client's messages. */
interface Receiver {
  /** True while no further message should be read. */
  readonly full: boolean;
}

/**
 * Reads a client's WebSocket. An incomplete message is reserved in its token's share, and has the time and rate limits of a
 * body. The library gets one message at a time, and none while the receiver is full or the client sends too many: by itself
 * it hands over all messages of a read, thousands of small ones, even once it is paused. A client that sends nothing, or only
 * control frames, may idle.
 */
export class MessageWatch {
  readonly #socket: WebSocket;
  readonly #line: Socket;
  readonly #limits: MessageLimits;
  readonly #share: Reservation;
  readonly #receiver: Receiver;
  readonly #failed: (error: GatewayError) => void;
  readonly #progress = new MessageProgress();
  readonly #rate: MessageRate;
  readonly #unwatch: () => void;
  /** The library's listener for the data of the line. */
  readonly #library: (chunk: Buffer) => void;
  #taken = 0;
  #pace: Pace | undefined;
  /** True while nothing is read. */
  #resting = false;
  /** Runs while the client has sent too many messages. */
  #timer: Timer | undefined;
  /** Bytes that were read from the line, and wait with it. */
  #rest: Buffer | undefined;
  #unbounded = false;
  #stopped = false;

  /** Takes the place of the library's listener at `line`. `failed` is called at most once. */
  constructor(
    socket: WebSocket,
    line: Socket,
    limits: MessageLimits,
    share: Reservation,
    receiver: Receiver,
    failed: (error: GatewayError) => void,
  ) {
    this.#socket = socket;
    this.#line = line;
    this.#limits = limits;
    this.#share = share;
    this.#receiver = receiver;
    this.#failed = failed;
    this.#rate = new MessageRate(limits.messagesPerSecond, limits.clock);
    this.#library = line.listeners('data')[0] as (chunk: Buffer) => void;
    line.on('data', this.#read).off('data', this.#library);
    this.#unwatch = lookEachSecond(this, limits.clock);
    socket.on('error', () => this.#stop());
    // The library reads what is left by itself once the line is closed.
    line.prependListener('close', () => this.#stop());
    // Until then the library holds the message's memory.
    socket.on('close', () => {
      this.#stop();
      share.release();
    });
  }

  /** Called once a second. Time in which this process itself pauses reading does not count. */
  look(): void {
    if (!this.#pace || this.#socket.isPaused) return;
    const violation = this.#pace.second();
    if (violation) this.#fail(slowMessage(violation));
  }

  /** Reads on if the receiver has room. */
  goOn(): void {
    if (!this.#resting || this.#timer || this.#stopped || (this.#receiver.full && !this.#unbounded)) return;
    this.#resting = false;
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest) this.#pass(rest);
    if (!this.#resting) this.#socket.resume();
  }

  /** Reads whatever the client still sends, as it is closed: its close frame must be read. */
  readAll(): void {
    this.#unbounded = true;
    this.#limits.clock.clearTimeout(this.#timer);
    this.#timer = undefined;
    this.goOn();
  }

  readonly #read = (chunk: Buffer) => {
    // What follows a close frame is not read.
    if (this.#progress.closed) return;
    if (this.#resting) this.#rest = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    else this.#pass(chunk);
  };

  /** Passes bytes to the library, up to the message after which the line rests. */
  #pass(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && !this.#stopped && !this.#progress.closed; ) {
      const end = this.#progress.read(bytes, at);
      this.#count(end - at);
      if (this.#stopped) return;
      this.#library.call(this.#line, at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
      at = end;
      if (!this.#progress.ended || this.#progress.closed || !this.#mustRest()) continue;
      this.#resting = true;
      if (at < bytes.length) this.#rest = bytes.subarray(at);
      this.#socket.pause();
      return;
    }
  }

  /** Counts a message or a control frame. Returns true if nothing more should be read now. */
  #mustRest(): boolean {
    const restMs = this.#rate.count();
    if (this.#unbounded || this.#stopped) return false;
    if (restMs > 0)
      this.#timer = this.#limits.clock
        .setTimeout(() => {
          this.#timer = undefined;
          this.goOn();
        }, restMs)
        .unref();
    return restMs > 0 || this.#receiver.full;
  }

  /** Counts bytes of a message that is not complete. */
  #count(bytes: number): void {
    const { partial, held, ended } = this.#progress;
    if (ended === 'message') this.#whole();
    if (!partial) {
      this.#pace = undefined;
      return;
    }
    this.#pace ??= new Pace(this.#limits);
    this.#pace.add(bytes);
    if (held <= countedFrom) return;
    try {
      this.#share.take(held - this.#taken);
      this.#taken = held;
    } catch (thrown) {
      this.#fail(toGatewayError(thrown));
    }
  }

  /** Releases the reservation: the receiver of the message counts it from here on. */
  #whole(): void {
    this.#share.release();
    this.#taken = 0;
    this.#pace = undefined;
  }

  #fail(error: GatewayError): void {
    this.#stop();
    this.#failed(error);
  }

  #stop(): void {
    this.#stopped = true;
    this.#rest = undefined;
    this.#limits.clock.clearTimeout(this.#timer);
    this.#unwatch();
    this.#line.off('data', this.#read);
  }
}

/** Time in which a client may send the messages of one second at once, in milliseconds. */
const burstMs = 1_000;
/** Time for which a client is not read that has sent too many messages, in milliseconds. */
const restMs = 100;

/** Counts the messages of one client against a rate. */
class MessageRate {
  readonly #eachMs: number;
  readonly #clock: Clock;
  /** The time at which all counted messages are paid for. */
  #paidAt = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, clock: Clock) {
    this.#eachMs = 1_000 / perSecond;
    this.#clock = clock;
  }

  /** Counts a message. Returns the time for which no more should be read, in milliseconds. */
  count(): number {
    const now = this.#clock.monotonic();
    this.#paidAt = Math.max(this.#paidAt, now) + this.#eachMs;
    return this.#paidAt - now < burstMs ? 0 : restMs;
  }
}
