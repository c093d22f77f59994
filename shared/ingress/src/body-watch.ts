import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { lookEachSecond, Pace, type PaceLimits } from './pace.ts';
import { megabytes } from './token-shares.ts';

/** Limits of a request's body. */
export interface BodyLimits extends PaceLimits {
  /** The most bytes after decompression. */
  bytes: number;
}

/** The largest allowed compression ratio. */
export const mostInflation = 800;
/** Decompressed size in bytes up to which the compression ratio is not limited. */
export const inflationCountsFrom = 1_000_000;

/** Checks the rate, duration, size and compression ratio of a body while it arrives. */
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

  /** Counts bytes of the decompressed body. @throws GatewayError of kind `too-large` */
  add(length: number): void {
    const { bytes } = this.#limits;
    this.#size += length;
    if (this.#size > bytes) throw tooLarge(bytes);
    if (!this.#isCompressed || this.#size <= inflationCountsFrom) return;
    if (this.#size > mostInflation * this.#wire) throw inflated();
  }

  /** Called once a second. Time in which this process itself pauses reading does not count. */
  look(): void {
    if (this.#request.isPaused() || this.#request.complete) return;
    const violation = this.#pace.second();
    if (!violation) return;
    this.stop();
    this.#tooSlow(slowBody(violation));
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
  const message = `The request body is more than ${mostInflation} times larger after decompression. Send it with less compression, or uncompressed.`;
  return new GatewayError('too-large', message);
}

/** The code of a request whose body arrived too slowly: a 408, unlike the 504 of an upstream's timeout. */
const slowBodyCode = 'request_timeout';

function slowBody(violation: string): GatewayError {
  return new GatewayError('timeout', `The request body ${violation}.`, { code: slowBodyCode });
}

export function slowMessage(violation: string): GatewayError {
  return new GatewayError('timeout', `The WebSocket message ${violation}.`, { code: slowBodyCode });
}

export function isSlowBody({ kind, details }: GatewayError): boolean {
  return kind === 'timeout' && details.code === slowBodyCode;
}
