import { GatewayError } from '@model-gateway/canonical';
import type { ClientSession } from './client-session.ts';
import type { SessionLimits } from './limits.ts';

/** How often sessions are looked at for those that are at their end. */
const lookMs = 500;

/** The sessions of this process. */
export class Sessions {
  readonly #limits: SessionLimits;
  readonly #open = new Set<ClientSession>();
  readonly #timer: NodeJS.Timeout;
  #opening = 0;
  #draining: PromiseWithResolvers<void> | undefined;
  #over = false;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
    this.#timer = setInterval(() => this.#check(), lookMs).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Takes a place for a session that is to be opened; what is returned gives it back. @throws GatewayError where there is none */
  reserve(): () => void {
    if (this.#draining) throw shuttingDown();
    if (this.#opening + this.#open.size >= this.#limits.sessions)
      throw new GatewayError('overloaded', 'Too many sessions are open.', { retryAfterMs: 5_000 });
    this.#opening++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#opening--;
      this.#left();
    };
  }

  add(session: ClientSession): void {
    this.#open.add(session);
  }

  delete(session: ClientSession): void {
    this.#open.delete(session);
    this.#left();
  }

  /** Takes no more; those that are there end by themselves within the grace, or are ended at its end. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#draining = Promise.withResolvers();
    this.#left();
    const end = () => this.#endAll();
    const timer = setTimeout(end, this.#limits.graceMs);
    signal.addEventListener('abort', end, { once: true });
    await this.#draining.promise;
    clearTimeout(timer);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#endAll();
  }

  #left(): void {
    if (this.#open.size + this.#opening === 0) this.#draining?.resolve();
  }

  /** Those that stand later are ended at the next look. */
  #endAll(): void {
    this.#over = true;
    for (const session of this.#open) session.end(shuttingDown());
  }

  #check(): void {
    const now = Date.now();
    if (this.#over) return this.#endAll();
    for (const session of this.#open) session.check(now, this.#limits);
  }
}

function shuttingDown(): GatewayError {
  const message = 'The session ends, since its server is shutting down: open another.';
  return new GatewayError('overloaded', message, { code: 'server_shutdown', retryAfterMs: 1_000 });
}
