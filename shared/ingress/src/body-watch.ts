import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { lookEachSecond, Pace, type PaceLimits } from './pace.ts';
import { megabytes } from './token-shares.ts';

/** Bounds of one request's body. */
export interface BodyLimits extends PaceLimits {
  /** The most bytes, decompressed. */
  bytes: number;
}

/** The most bytes that a decompressed byte on the wire may stand for. */
export const mostInflation = 800;
/** Up to this size a body may be compressed as much as it likes, in bytes. */
export const inflationCountsFrom = 1_000_000;

/** Watches a body as it comes: its pace, its time, its size and how much it was compressed. */
export class BodyWatch {
  readonly #request: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #isCompressed: boolean;
  readonly #tooSlow: (error: GatewayError) => void;
  readonly #pace: Pace;
  readonly #unwatch: () => void;
  /** Bytes on the wire. */
  #wire = 0;
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
    this.#pace = new Pace(limits);
    request.on('data', this.#count);
    this.#unwatch = lookEachSecond(this);
  }

  stop(): void {
    this.#unwatch();
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
    if (this.#request.isPaused() || this.#request.complete) return;
    const why = this.#pace.second();
    if (!why) return;
    this.stop();
    this.#tooSlow(slowBody(why));
  }

  readonly #count = ({ length }: Buffer) => {
    this.#wire += length;
    this.#pace.add(length);
  };
}

export function tooLarge(limit: number): GatewayError {
  return new GatewayError('too-large', `The request body is larger than ${megabytes(limit)}.`);
}

function inflated(): GatewayError {
  const message = `The request body is more than ${mostInflation} times as large once it is decompressed: send it with less compression, or none.`;
  return new GatewayError('too-large', message);
}

/** The code of a request whose body came too slowly: it is a 408, not the 504 of an upstream's time. */
export const slowBodyCode = 'request_timeout';

export function slowBody(why: string): GatewayError {
  return new GatewayError('timeout', `The request body ${why}.`, { code: slowBodyCode });
}

export function slowMessage(why: string): GatewayError {
  return new GatewayError('timeout', `The WebSocket message ${why}.`, { code: slowBodyCode });
}

export function isSlowBody({ kind, details }: GatewayError): boolean {
  return kind === 'timeout' && details.code === slowBodyCode;
}
