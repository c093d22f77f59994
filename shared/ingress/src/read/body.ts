import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { slowBodyCode } from '@model-gateway/formats/client';
import { withoutByteOrderMark } from '@model-gateway/json';
import { discardMs } from '@model-gateway/service';
import type { Reservation } from '../memory/budgets.ts';
import { megabytes } from '../memory/budgets.ts';

/**
 * Reads a request's whole body and decompresses it; its bytes are reserved in `share` as they arrive.
 * @throws GatewayError `too-large` over a limit, `timeout` if it arrives too slowly, `invalid-request` if it cannot be
 * decompressed, `cancelled` if the client closes the connection
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, share: Reservation): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes)
    return Promise.reject(tooLarge(limits.bytes));
  const source = decoded(request);
  return new Promise((resolve, reject) => {
    const read = new Collected(limits.bytes);
    const end = (error: unknown) => {
      stop();
      read.free();
      discard(request, limits.clock);
      if (source !== request) source.destroy();
      reject(error);
    };
    const watch = new BodyWatch(request, limits, source !== request, end);
    const add = (chunk: Buffer) => {
      try {
        watch.add(chunk.length);
        share.take(chunk.length);
        read.add(chunk);
      } catch (full) {
        end(full);
      }
    };
    const whole = () => {
      stop();
      resolve(withoutByteOrderMark(read.whole()));
    };
    const fail = (cause: Error) => end(unreadable(cause));
    const left = () => {
      if (!request.complete) end(new GatewayError('cancelled', 'The client left.'));
    };
    // What listens is not kept for as long as the answer takes. A decompressor may still fail, and needs its listener.
    const stop = () => {
      watch.stop();
      source.off('data', add).off('end', whole);
      request.off('close', left);
      if (source === request) source.off('error', fail);
    };
    source.on('data', add).on('end', whole).on('error', fail);
    request.on('close', left);
  });
}

/** Reads and discards the rest of a refused request's body, so that the client can read the response. */
export function discard(request: IncomingMessage, clock: Clock): void {
  if (request.complete || request.destroyed) return void request.resume();
  request.unpipe();
  request.resume();
  const timer = clock.setTimeout(() => request.destroy(), discardMs).unref();
  request.once('close', () => clock.clearTimeout(timer));
}

/** Joins pieces. From the second piece on they are in a buffer that grows in place, without copying. */
class Collected {
  size = 0;
  readonly #limit: number;
  #first: Buffer = Buffer.alloc(0);
  #memory: ArrayBuffer | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Buffer): void {
    if (this.size === 0) this.#first = piece;
    else this.#append(piece);
    this.size += piece.length;
  }

  /** Frees the memory, even while references to this object remain. */
  free(): void {
    this.#first = Buffer.alloc(0);
    this.#memory?.resize(0);
    this.size = 0;
  }

  whole(): Buffer {
    return this.#memory ? Buffer.from(this.#memory, 0, this.size) : this.#first;
  }

  #append(piece: Buffer): void {
    if (!this.#memory) {
      this.#memory = new ArrayBuffer(this.size, { maxByteLength: this.#limit });
      new Uint8Array(this.#memory).set(this.#first);
    }
    this.#memory.resize(this.size + piece.length);
    new Uint8Array(this.#memory).set(piece, this.size);
  }
}

/** Returns a request's decompressed body. @throws GatewayError `invalid-request` for an unsupported encoding */
export function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  switch (encoding) {
    case 'identity':
      return request;
    case 'gzip':
    case 'x-gzip':
      return request.pipe(createUnzip());
    case 'deflate':
      return request.pipe(createInflate());
    case 'br':
      return request.pipe(createBrotliDecompress());
    case 'zstd':
      return request.pipe(createZstdDecompress());
    default:
      throw new GatewayError(
        'invalid-request',
        `Content-Encoding ${encoding} is not supported. Use gzip, deflate, br or zstd.`,
      );
  }
}

function unreadable(cause: Error): GatewayError {
  return new GatewayError(
    'invalid-request',
    'The request body could not be decompressed. Check its Content-Encoding.',
    {},
    { cause },
  );
}

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
    this.#unwatch = lookEachSecond(this, limits.clock);
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

function slowBody(violation: string): GatewayError {
  return new GatewayError('timeout', `The request body ${violation}.`, { code: slowBodyCode });
}

export function slowMessage(violation: string): GatewayError {
  return new GatewayError('timeout', `The WebSocket message ${violation}.`, { code: slowBodyCode });
}

/** Limits on how slowly a client may send a body or message. */
export interface PaceLimits {
  /** Minimum average rate on the wire, over any {@link paceSeconds} s in which this process waits for data. */
  bytesPerSecond: number;
  /** The longest total time that this process waits for data, in milliseconds. */
  ms: number;
  /** The time by which both are measured. */
  clock: Clock;
}

/** Length of the window in which a pace is measured, in seconds. */
export const paceSeconds = 30;
const checkMs = 1_000;

/** Calls `watch.look` once a second until the returned function is called. */
export function lookEachSecond(watch: { look(): void }, clock: Clock): () => void {
  const timer = clock
    .setTimeout(() => {
      timer.refresh();
      watch.look();
    }, checkMs)
    .unref();
  return () => clock.clearTimeout(timer);
}

/** Measures the time and the rate of one body or message from a client. */
export class Pace {
  readonly #limits: PaceLimits;
  /** Bytes since the last counted second, and the bytes of each recent second. */
  #recent = 0;
  readonly #seconds: number[] = [];
  #waitedMs = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  add(bytes: number): void {
    this.#recent += bytes;
  }

  /** Counts a second of waiting for the client. Returns the violated limit, as the end of an error message. */
  second(): string | undefined {
    const { bytesPerSecond, ms } = this.#limits;
    this.#waitedMs += checkMs;
    this.#seconds.push(this.#recent);
    this.#recent = 0;
    if (this.#seconds.length > paceSeconds) this.#seconds.shift();
    const received = this.#seconds.reduce((sum, bytes) => sum + bytes, 0);
    if (this.#waitedMs > ms) return `was not complete after ${ms / 1_000} s`;
    if (this.#seconds.length === paceSeconds && received < bytesPerSecond * paceSeconds)
      return `arrived at less than ${bytesPerSecond} bytes/s over ${paceSeconds} s`;
    return undefined;
  }
}
