import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';
import { type BodyLimits, BodyWatch, tooLarge } from './body-watch.ts';
import type { Reservation } from './memory-budget.ts';

/** The longest that a client that was refused may go on sending, in milliseconds. */
export const discardMs = 60_000;

/**
 * Reads a request's whole body, decompressed; its bytes are taken from `share` as they come.
 * @throws GatewayError `too-large` over a limit, `timeout` where it comes too slowly, `invalid-request` for what cannot be read,
 * `cancelled` if the client leaves
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, share: Reservation): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes)
    return Promise.reject(tooLarge(limits.bytes));
  const source = decoded(request);
  return new Promise((resolve, reject) => {
    const read = new Collected(limits.bytes);
    const end = (error: unknown) => {
      watch.stop();
      source.removeAllListeners('data');
      read.free();
      discard(request);
      if (source !== request) source.destroy();
      reject(error);
    };
    const watch = new BodyWatch(request, limits, source !== request, end);
    source.on('data', (chunk: Buffer) => {
      try {
        watch.add(chunk.length);
        share.take(chunk.length);
        read.add(chunk);
      } catch (full) {
        end(full);
      }
    });
    source.on('end', () => {
      watch.stop();
      resolve(read.whole());
    });
    source.on('error', cause => end(unreadable(cause)));
    request.on('close', () => {
      if (!request.complete) end(new GatewayError('cancelled', 'The client left.'));
    });
  });
}

/** Reads what still comes of a body that was refused, and throws it away, so that its client gets to read the answer. */
export function discard(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return void request.resume();
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), discardMs).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Pieces that come one by one. From the second on they lie in memory that grows in place, and of which nothing is copied. */
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

  /** Gives the memory up, whoever still holds this. */
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

/** A request's body, decompressed. @throws GatewayError `invalid-request` for an encoding that nobody knows */
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
      throw new GatewayError('invalid-request', `Content-Encoding ${encoding} is not supported.`);
  }
}

function unreadable(cause: Error): GatewayError {
  return new GatewayError('invalid-request', 'The request body could not be decompressed.', {}, { cause });
}
