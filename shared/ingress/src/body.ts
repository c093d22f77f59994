import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createInflate, createUnzip, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';
import type { Share } from './held-bytes.ts';

/** How long a client may pause while it sends its body. */
export const pauseMs = 60_000;
/** How long a client that was refused may go on sending. */
const discardMs = 60_000;

/**
 * Reads a request's whole body, decompressed; its bytes are taken from `share` as they come.
 * @throws GatewayError `too-large` over `limit` bytes, `invalid-request` for what cannot be read, `cancelled` if the client leaves
 */
export function readBody(request: IncomingMessage, limit: number, share: Share): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  const source = decoded(request);
  return new Promise((resolve, reject) => {
    const read = new Collected(limit);
    const pause = setTimeout(() => end(paused()), pauseMs);
    const end = (error: unknown) => {
      clearTimeout(pause);
      source.removeAllListeners('data');
      request.unpipe();
      request.resume();
      reject(error);
    };
    source.on('data', (chunk: Buffer) => {
      if (read.size + chunk.length > limit) return end(tooLarge(limit));
      try {
        share.take(chunk.length);
        read.add(chunk);
      } catch (full) {
        return end(full);
      }
      pause.refresh();
    });
    source.on('end', () => {
      clearTimeout(pause);
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
  request.unpipe();
  request.resume();
  setTimeout(() => {
    if (!request.complete) request.destroy();
  }, discardMs).unref();
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

export function tooLarge(limit: number): GatewayError {
  return new GatewayError(
    'too-large',
    `The request body is larger than ${Math.floor(limit / 1_000_000)} MB.`,
  );
}

export function paused(): GatewayError {
  return new GatewayError('timeout', `The request body paused for more than ${pauseMs / 1000} s.`);
}

function unreadable(cause: Error): GatewayError {
  return new GatewayError('invalid-request', 'The request body could not be decompressed.', {}, { cause });
}
