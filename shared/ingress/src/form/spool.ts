import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '@model-gateway/canonical';
import type { Reservation } from '../memory-budget.ts';

/** Files of up to as many bytes stay in memory; what is larger goes to disk as a whole. */
export const inMemory = 256 * 1024;
/** How much is read from disk at once. */
const pieceBytes = 256 * 1024;

export interface SpoolOptions {
  /** Where the file is made. */
  folder: string;
  /** Whose memory it is. */
  memory: Reservation;
  /** Whose room on disk. */
  disk: Reservation;
}

/**
 * The bytes that a request brings along, until it is answered: in memory where they are few, else in a file without a name,
 * which is gone with this process however that ends.
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

  /** @throws GatewayError of kind `overloaded` where there is no room */
  async append(piece: Buffer): Promise<void> {
    const { memory, disk } = this.#options;
    if (!this.#file && this.#size + piece.length <= inMemory) {
      memory.take(piece.length);
      // A copy: the piece is a part of what was read at once.
      this.#pieces.push(Buffer.from(piece));
    } else {
      disk.take(this.#file ? piece.length : this.#size + piece.length);
      await this.#toDisk(piece);
    }
    this.#size += piece.length;
  }

  /** The bytes from one place to another, in pieces; may be read more than once. */
  async *read(from: number, to: number): AsyncGenerator<Uint8Array, void> {
    const file = this.#file;
    if (!file) {
      if (to > from) yield Buffer.concat(this.#pieces).subarray(from, to);
      return;
    }
    for (let at = from; at < to; ) {
      const length = Math.min(pieceBytes, to - at);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new Error('an upload is shorter than it was');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Gives up what is kept; who still reads gets an error. */
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
  const message = 'The gateway has no room for uploads at the moment.';
  return new GatewayError('overloaded', message, { retryAfterMs: 5_000 }, { cause });
}
