import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { beforeResetMs, maxDrainMs, resetSocket } from '../common/write-paced.ts';

const highWater = 256 * 1024;
const checkMs = 20;
/** Two bytes with reserved bits, which are not a frame. */
const invalidFrame = Buffer.from([0xf1, 0x00]);

/** The connection to one client. */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #idPrefix: string;
  readonly #byteFrames: boolean;
  #events = 0;
  #steps = 0;
  /** True if events are dropped. */
  silent = false;
  /** True if the simulator ended the connection, not the client. */
  ended = false;

  /** With `byteFrames`, each byte of an event is a frame of its own. */
  constructor(socket: WebSocket, wire: Socket, idPrefix: string, byteFrames: boolean) {
    this.#socket = socket;
    this.#wire = wire;
    this.#idPrefix = idPrefix;
    this.#byteFrames = byteFrames;
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  event(type: string, fields: object): void {
    this.send(JSON.stringify({ type, event_id: `event_${this.#idPrefix}${++this.#events}`, ...fields }));
  }

  error(fields: {
    type: string;
    code: string | null;
    message: string;
    param?: string | null;
    event_id?: string | null;
  }): void {
    this.event('error', { error: { param: null, event_id: null, ...fields } });
  }

  send(message: string | Uint8Array): void {
    if (!this.open || this.silent) return;
    if (!this.#byteFrames || typeof message !== 'string') return this.#socket.send(message);
    const bytes = Buffer.from(message);
    for (let at = 0; at < bytes.length; at++)
      this.#socket.send(bytes.subarray(at, at + 1), { binary: false, fin: at === bytes.length - 1 });
  }

  stopReading(): void {
    this.#socket.pause();
  }

  sendInvalidFrame(): void {
    this.ended = true;
    if (this.open) this.#wire.write(invalidFrame);
  }

  close(code: number, reason = ''): void {
    this.ended = true;
    this.silent = true;
    this.#socket.close(code, reason);
  }

  async reset(): Promise<void> {
    this.silent = true;
    await sleep(beforeResetMs);
    resetSocket(this.#wire);
    this.terminate();
  }

  terminate(): void {
    this.ended = true;
    this.#socket.terminate();
  }

  /** Waits until the client has read most of the data. After ten minutes, the connection is closed. */
  async drained(): Promise<void> {
    const deadline = performance.now() + maxDrainMs;
    while (this.open && this.#socket.bufferedAmount > highWater) {
      if (performance.now() > deadline) return this.terminate();
      await sleep(checkMs);
    }
    if (++this.#steps % 16 === 0) await setImmediate();
  }

  async closed(): Promise<void> {
    if (this.#socket.readyState !== this.#socket.CLOSED) await once(this.#socket, 'close');
  }
}
