import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';
import { discardMs } from '@model-gateway/service';
import { type BodyLimits, BodyWatch, tooLarge } from './body-watch.ts';
import type { Reservation } from './memory-budget.ts';

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

/** Reads and discards the rest of a refused request's body, so that the client can read the response. */
export function discard(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return void request.resume();
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), discardMs).unref();
  request.once('close', () => clearTimeout(timer));
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
