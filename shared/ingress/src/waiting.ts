import type { Duplex } from 'node:stream';

/** The most bytes that are read of a client that should say nothing yet. */
export const maxEarlyBytes = 64 * 1024;

/** A client's socket while its upgrade is not answered. It is read, for only who reads sees that a client has left. */
export class Waiting {
  readonly #socket: Duplex;
  readonly #left = new AbortController();
  readonly #early: Buffer[] = [];
  #size = 0;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#left.abort());
    socket.on('end', this.#leave);
    socket.on('data', this.#keep);
  }

  /** Aborts when the client is gone. */
  get signal(): AbortSignal {
    return this.#left.signal;
  }

  /** What it has said too early; from here on somebody else must read, at once. */
  over(): Buffer[] {
    this.#socket.off('data', this.#keep);
    this.#socket.off('end', this.#leave);
    this.#socket.resume();
    return this.#early;
  }

  readonly #leave = () => void this.#socket.destroy();

  readonly #keep = (data: Buffer) => {
    this.#early.push(data);
    this.#size += data.length;
    if (this.#size > maxEarlyBytes) this.#socket.pause();
  };
}
