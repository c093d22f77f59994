import type { Outlet } from '@model-gateway/ingress';
import { sseComment } from '@model-gateway/sse';

/** How long a stream may be silent before its reader is shown that it lives. */
const pingMs = 10_000;

/** Writes no faster than the client takes it. */
export class Paced {
  readonly #outlet: Outlet;
  readonly #signal: AbortSignal;
  #wroteAt = Date.now();
  #taken: PromiseWithResolvers<void> | undefined;

  constructor(outlet: Outlet, signal: AbortSignal) {
    this.#outlet = outlet;
    this.#signal = signal;
    outlet.on('drain', () => this.#taken?.resolve());
    signal.addEventListener('abort', () => this.#taken?.resolve());
  }

  async write(bytes: string): Promise<void> {
    if (bytes === '' || this.#signal.aborted) return;
    this.#wroteAt = Date.now();
    this.#outlet.write(bytes);
    if (!this.#outlet.writableNeedDrain || this.#signal.aborted) return;
    this.#taken = Promise.withResolvers();
    await this.#taken.promise;
  }

  /** Shows a client that has waited for long that the stream lives. */
  async ping(): Promise<void> {
    if (Date.now() - this.#wroteAt >= pingMs) await this.write(sseComment('ping'));
  }
}
