import { type GatewayError, overloaded } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import type { ClientSession, SessionLimits } from './client-session.ts';

/** Interval of the checks for expired and idle sessions. */
const checkMs = 500;

/** The open sessions of this process. */
export class Sessions {
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #open = new Set<ClientSession>();
  /** Runs while sessions are open. */
  #timer: Timer | undefined;
  #opening = 0;
  #draining: PromiseWithResolvers<void> | undefined;
  #over = false;

  constructor(limits: SessionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Reserves a place for a session and returns its release. @throws GatewayError if there is no room */
  reserve(): () => void {
    if (this.#draining) throw shuttingDown();
    const { sessions } = this.#limits;
    if (this.#opening + this.#open.size >= sessions) throw tooMany(sessions);
    this.#opening++;
    let reserved = true;
    return () => {
      if (!reserved) return;
      reserved = false;
      this.#opening--;
      this.#left();
    };
  }

  add(session: ClientSession): void {
    this.#open.add(session);
    this.#timer ??= this.#clock.setInterval(() => this.#check(), checkMs).unref();
  }

  delete(session: ClientSession): void {
    this.#open.delete(session);
    if (this.#open.size === 0) this.#stop();
    this.#left();
  }

  /** Refuses new sessions, and ends the open ones after the grace period. Resolves when all are over. */
  async drain(signal: AbortSignal): Promise<void> {
    this.#draining = Promise.withResolvers();
    this.#left();
    const end = () => this.#endAll();
    const timer = this.#clock.setTimeout(end, this.#limits.graceMs);
    signal.addEventListener('abort', end, { once: true });
    await this.#draining.promise;
    this.#clock.clearTimeout(timer);
  }

  close(): void {
    this.#stop();
    this.#endAll();
  }

  #stop(): void {
    this.#clock.clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #left(): void {
    if (this.#open.size + this.#opening === 0) this.#draining?.resolve();
  }

  /** Ends all sessions; one that opens later is ended at the next check. */
  #endAll(): void {
    this.#over = true;
    for (const session of this.#open) session.end(shuttingDown());
  }

  #check(): void {
    const now = this.#clock.now();
    if (this.#over) return this.#endAll();
    for (const session of this.#open) session.check(now, this.#limits);
  }
}

function shuttingDown(): GatewayError {
  const message = 'The server is shutting down: open a new session.';
  return overloaded('shutting_down', message, { code: 'server_shutdown', retryAfterMs: 1_000 });
}

function tooMany(sessions: number): GatewayError {
  const message = `Too many sessions are open: this gateway process has ${sessions}, which is the most. Retry later.`;
  return overloaded('sessions_full', message, { retryAfterMs: 5_000 });
}
