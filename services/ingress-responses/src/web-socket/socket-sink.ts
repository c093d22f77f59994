import { EventEmitter } from 'node:events';
import type { Connection, ResponseSink } from '@model-gateway/ingress';
import { splitEvents } from '@model-gateway/sse';

/** Sends each event of a response as one WebSocket message, with `lane` as its `stream_id`. */
export class SocketSink implements ResponseSink {
  readonly #connection: Connection;
  readonly #lane: string | undefined;
  readonly #events = new EventEmitter();
  readonly #ended: (status: number) => void;
  #body = '';
  readonly #unsubscribe: () => void;
  #closed = false;
  #draining: Promise<void> | undefined;
  headersSent = false;
  statusCode = 200;

  constructor(connection: Connection, lane: string | undefined, ended: (status: number) => void) {
    this.#connection = connection;
    this.#lane = lane;
    this.#ended = ended;
    this.#unsubscribe = connection.onClose(() => this.#close());
  }

  get destroyed(): boolean {
    return this.#closed;
  }
  get writableNeedDrain(): boolean {
    if (!this.#connection.full) return false;
    this.#draining ??= this.#connection.drained().then(() => {
      this.#draining = undefined;
      this.#events.emit('drain');
    });
    return true;
  }
  get writableLength(): number {
    return this.#connection.waiting;
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#events.on(event, listener);
  }

  setHeader(): void {}

  writeHead(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
  }

  write(data: string | Uint8Array): void {
    const text = Buffer.from(data as Uint8Array).toString();
    if (this.statusCode !== 200) {
      this.#body += text;
      return;
    }
    for (const event of splitEvents(text)) {
      const message = /^data: ?([^\r\n]*)/m.exec(event)?.[1];
      if (message?.startsWith('{')) this.#send(message);
    }
  }

  end(data?: string | Uint8Array): void {
    if (data !== undefined) this.write(data);
    if (this.statusCode !== 200) {
      const { error } = JSON.parse(this.#body || '{}');
      this.#send(JSON.stringify({ type: 'error', status: this.statusCode, error }));
    }
    this.#ended(this.statusCode);
    setImmediate(() => this.#close());
  }

  /** Closes the connection: a client cannot detect an interrupted response otherwise. */
  destroy(): void {
    this.#connection.close(1011, 'the response was interrupted');
  }

  #send(message: string): void {
    const lane = this.#lane === undefined ? '' : `"stream_id":${JSON.stringify(this.#lane)},`;
    this.#connection.send(lane === '' ? message : message.replace('{', () => `{${lane}`));
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#events.emit('close');
    this.#ended(499);
  }
}
