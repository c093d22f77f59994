import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type GatewayError, overloaded } from '@model-gateway/canonical';
import type { Reservation } from '../memory/budgets.ts';

/** Uploads up to this many bytes stay in memory; larger ones are written to disk as a whole. */
export const inMemory = 256 * 1024;
/** Bytes read from disk at once. */
const pieceBytes = 256 * 1024;

export interface SpoolOptions {
  /** The folder of the file. */
  folder: string;
  /** Reserves the memory. */
  memory: Reservation;
  /** Reserves the disk space. */
  disk: Reservation;
}

/**
 * Stores an upload until its request ends: in memory if it is small, else in an unlinked file, which is removed with
 * this process however that ends.
 */
export class Spool {
  readonly #options: SpoolOptions;
  #pieces: Buffer[] = [];
  #file: FileHandle | undefined;
  #size = 0;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** @throws GatewayError of kind `overloaded` if there is no room, `rate-limited` if the token's share is used up */
  async append(piece: Buffer): Promise<void> {
    const { memory, disk } = this.#options;
    if (!this.#file && this.#size + piece.length <= inMemory) {
      memory.take(piece.length);
      // A copy: the piece is a view of a larger buffer.
      this.#pieces.push(Buffer.from(piece));
    } else {
      disk.take(this.#file ? piece.length : this.#size + piece.length);
      await this.#toDisk(piece);
    }
    this.#size += piece.length;
  }

  /** Yields the bytes of a range in pieces; may be called more than once. */
  async *read(from: number, to: number): AsyncGenerator<Uint8Array, void> {
    const file = this.#file;
    if (!file) {
      if (to > from) yield Buffer.concat(this.#pieces).subarray(from, to);
      return;
    }
    for (let at = from; at < to; ) {
      const length = Math.min(pieceBytes, to - at);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new Error('the file of an upload is shorter than the bytes written to it');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Removes the bytes; running reads fail. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#pieces = [];
    this.#options.disk.release();
    await file?.close();
  }

  async #toDisk(piece: Buffer): Promise<void> {
    try {
      this.#file ??= await this.#create();
      for (const each of [...this.#pieces.splice(0), piece]) await this.#file.appendFile(each);
    } catch (cause) {
      throw noRoom(cause);
    }
  }

  async #create(): Promise<FileHandle> {
    const path = join(this.#options.folder, `gateway-upload-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

function noRoom(cause: unknown): GatewayError {
  const message = 'The gateway cannot store uploads at the moment. Retry later.';
  return overloaded('upload_storage_failed', message, { retryAfterMs: 5_000 }, { cause });
}
