import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { resetSocket, yieldToOthers } from '../write-paced.ts';

const highWater = 256 * 1024;
const lookMs = 20;
const maxPatienceMs = 600_000;
/** Long enough for a client to read what came before a reset, which may discard it. */
const beforeResetMs = 20;
const reserved = Buffer.from([0xf1, 0x00]);

/** What goes to one client, and how it ends. */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #prefix: string;
  /** Whether each event comes in frames of a byte. */
  readonly #crumbled: boolean;
  #sent = 0;
  #steps = 0;
  #silent = false;
  #ended = false;

  /** `prefix` makes the ids of events unique. */
  constructor(socket: WebSocket, wire: Socket, prefix: string, crumbled: boolean) {
    this.#socket = socket;
    this.#wire = wire;
    this.#prefix = prefix;
    this.#crumbled = crumbled;
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether anything more is sent. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Whether it was this side that ended it. */
  get ended(): boolean {
    return this.#ended;
  }

  event(type: string, fields: object): void {
    this.text(JSON.stringify({ type, event_id: `event_${this.#prefix}${++this.#sent}`, ...fields }));
  }

  text(text: string): void {
    if (!this.open || this.#silent) return;
    if (!this.#crumbled) return this.#socket.send(text);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++)
      this.#socket.send(bytes.subarray(at, at + 1), { binary: false, fin: at === bytes.length - 1 });
  }

  bytes(bytes: Uint8Array): void {
    if (this.open && !this.#silent) this.#socket.send(bytes);
  }

  /** Sends nothing more, and stays. */
  silence(): void {
    this.#silent = true;
  }

  /** Reads nothing more. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Sends what is no frame: its reserved bits are set. */
  sendInvalidFrame(): void {
    if (!this.open) return;
    this.#ended = true;
    this.#wire.write(reserved);
  }

  close(code: number, reason = ''): void {
    this.#ended = true;
    this.#silent = true;
    this.#socket.close(code, reason);
  }

  async reset(): Promise<void> {
    this.#ended = true;
    this.#silent = true;
    await new Promise(resolve => setTimeout(resolve, beforeResetMs));
    resetSocket(this.#wire);
    this.#socket.terminate();
  }

  terminate(): void {
    this.#ended = true;
    this.#socket.terminate();
  }

  /** Until the client has taken most of what was sent; one that takes nothing for ten minutes is cut. */
  async drained(): Promise<void> {
    const late = performance.now() + maxPatienceMs;
    while (this.open && this.#socket.bufferedAmount > highWater) {
      if (performance.now() > late) return this.terminate();
      await new Promise(resolve => setTimeout(resolve, lookMs));
    }
    if (++this.#steps % 16 === 0) await yieldToOthers();
  }

  async gone(): Promise<void> {
    if (this.#socket.readyState !== this.#socket.CLOSED) await once(this.#socket, 'close');
  }
}
