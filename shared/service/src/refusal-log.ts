import type { Log } from './log.ts';

/** The least time between two lines about one address, in milliseconds. */
export const refusalLogMs = 60_000;
/** The most addresses that have lines of their own within that time; the others share one. */
const mostAddresses = 1_000;
const others = 'others';
/** The number of looks at the counts within that time. */
const looks = 6;

interface Refused {
  limit: string;
  client: string;
  /** Since the last line. */
  count: number;
  loggedAt: number;
}

/** Logs the first refusal of an address at once, and those that follow as a count once a minute. */
export class RefusalLog {
  readonly #log: Pick<Log, 'warn'>;
  readonly #everyMs: number;
  readonly #refused = new Map<string, Refused>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Pick<Log, 'warn'>, everyMs = refusalLogMs) {
    this.#log = log;
    this.#everyMs = everyMs;
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
      this.#say(refused);
    }
    this.#timer ??= setInterval(() => this.#sayAll(), this.#everyMs / looks).unref();
  }

  /** An address that was not refused since the last line is forgotten. */
  #sayAll(): void {
    const due = performance.now() - this.#everyMs;
    for (const [key, refused] of this.#refused) {
      if (refused.loggedAt > due) continue;
      if (refused.count === 0) this.#refused.delete(key);
      else this.#say(refused);
    }
    if (this.#refused.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #say(refused: Refused): void {
    const { limit, client, count } = refused;
    refused.count = 0;
    refused.loggedAt = performance.now();
    this.#log.warn({ client, limit, count }, 'connections refused');
  }
}
