import type { Clock, Timer } from '@model-gateway/clock';
import type { Log } from './log.ts';

/** The least time between two log lines about one address, in milliseconds. */
export const refusalLogMs = 60_000;
/** The most addresses with separate log lines within that time; the others share one. */
const mostAddresses = 1_000;
const others = 'others';
/** Number of checks for due lines within that time. */
const checks = 6;

interface Refused {
  limit: string;
  client: string;
  /** Refusals since the last line. */
  count: number;
  loggedAt: number;
}

/** Logs the first refusal of an address at once, and later ones as a count once a minute. */
export class RefusalLog {
  readonly #log: Pick<Log, 'warn'>;
  readonly #clock: Clock;
  readonly #refused = new Map<string, Refused>();
  #timer: Timer | undefined;

  constructor(log: Pick<Log, 'warn'>, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  refused(limit: string, address: string): void {
    const known = this.#refused.get(`${limit} ${address}`);
    if (known) {
      known.count++;
      return;
    }
    const client = this.#refused.size < mostAddresses ? address : others;
    const key = `${limit} ${client}`;
    const refused = this.#refused.get(key) ?? { limit, client, count: 0, loggedAt: 0 };
    refused.count++;
    if (!this.#refused.has(key)) {
      this.#refused.set(key, refused);
      this.#write(refused);
    }
    this.#timer ??= this.#clock.setInterval(() => this.#logDue(), refusalLogMs / checks).unref();
  }

  /** Writes the lines that are due; forgets addresses without a refusal since their last line. */
  #logDue(): void {
    const due = this.#clock.monotonic() - refusalLogMs;
    for (const [key, refused] of this.#refused) {
      if (refused.loggedAt > due) continue;
      if (refused.count === 0) this.#refused.delete(key);
      else this.#write(refused);
    }
    if (this.#refused.size > 0) return;
    this.#clock.clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #write(refused: Refused): void {
    const { limit, client, count } = refused;
    refused.count = 0;
    refused.loggedAt = this.#clock.monotonic();
    this.#log.warn({ client, limit, count }, 'connections refused');
  }
}
