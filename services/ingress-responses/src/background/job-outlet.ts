import { EventEmitter } from 'node:events';
import type { Outlet } from '@model-gateway/ingress';

/** Where an answer goes that nobody waits for. */
export class JobOutlet implements Outlet {
  readonly #events = new EventEmitter();
  readonly writableNeedDrain = false;
  readonly writableLength = 0;
  headersSent = false;
  destroyed = false;
  statusCode = 200;

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#events.on(event, listener);
  }

  setHeader(): void {}

  writeHead(status: number): void {
    this.headersSent = true;
    this.statusCode = status;
  }

  write(): void {}

  /** As of a socket, that all was taken shows later. */
  end(): void {
    setImmediate(() => this.#close());
  }

  destroy(): void {
    this.#close();
  }

  #close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#events.emit('close');
  }
}
