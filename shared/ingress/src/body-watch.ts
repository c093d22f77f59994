import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { slowBody } from './slow-body.ts';

/** Bounds of one request's body. */
export interface BodyLimits {
  /** The most bytes, decompressed. */
  bytes: number;
  /** The least that must come each second on average, as it travels: in any {@link paceSeconds} s in which it is waited for. */
  bytesPerSecond: number;
  /** For how long its client may be waited for in all, in milliseconds. */
  ms: number;
}

/** Over how many seconds a body's pace is measured. */
export const paceSeconds = 30;
/** The most bytes that a decompressed byte on the wire may stand for. */
export const mostInflation = 800;
/** Up to this size a body may be compressed as much as it likes, in bytes. */
export const inflationCountsFrom = 1_000_000;
const lookMs = 1_000;

const watched = new Set<BodyWatch>();
setInterval(() => {
  for (const watch of watched) watch.look();
}, lookMs).unref();

/** Watches a body as it comes: its pace, its time, its size and how much it was compressed. */
export class BodyWatch {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #isCompressed: boolean;
  readonly #tooSlow: (error: GatewayError) => void;
  /** Bytes on the wire: all, those since the last look that counted, and those of each of the last seconds. */
  #wire = 0;
  #recent = 0;
  readonly #seconds: number[] = [];
  #waitedMs = 0;
  #size = 0;

  /** `tooSlow` is called at most once. */
  constructor(
    request: IncomingMessage,
    limits: BodyLimits,
    isCompressed: boolean,
    tooSlow: (error: GatewayError) => void,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#isCompressed = isCompressed;
    this.#tooSlow = tooSlow;
    request.on('data', this.#count);
    watched.add(this);
  }

  stop(): void {
    watched.delete(this);
    this.#request.off('data', this.#count);
  }

  /** Counts a piece of the decompressed body. @throws GatewayError of kind `too-large` */
  add(length: number): void {
    const { bytes } = this.#limits;
    this.#size += length;
    if (this.#size > bytes) throw tooLarge(bytes);
    if (!this.#isCompressed || this.#size <= inflationCountsFrom) return;
    if (this.#size > mostInflation * this.#wire) throw inflated();
  }

  /** Looks once a second. Where this process reads nothing itself, its client is not to blame. */
  look(): void {
    if (this.#request.isPaused()) return;
    const { bytesPerSecond, ms } = this.#limits;
    this.#waitedMs += lookMs;
    this.#seconds.push(this.#recent);
    this.#recent = 0;
    if (this.#seconds.length > paceSeconds) this.#seconds.shift();
    const came = this.#seconds.reduce((sum, bytes) => sum + bytes, 0);
    if (this.#waitedMs > ms) this.#slow(`took longer than ${ms / 1_000} s`);
    else if (this.#seconds.length === paceSeconds && came < bytesPerSecond * paceSeconds)
      this.#slow(`came more slowly than ${bytesPerSecond} bytes/s over ${paceSeconds} s`);
  }

  #slow(why: string): void {
    this.stop();
    this.#tooSlow(slowBody(why));
  }

  readonly #count = ({ length }: Buffer) => {
    this.#wire += length;
    this.#recent += length;
  };
}

export function tooLarge(limit: number): GatewayError {
  return new GatewayError(
    'too-large',
    `The request body is larger than ${Math.floor(limit / 1_000_000)} MB.`,
  );
}

function inflated(): GatewayError {
  const message = `The request body is more than ${mostInflation} times as large once it is decompressed: send it with less compression, or none.`;
  return new GatewayError('too-large', message);
}
