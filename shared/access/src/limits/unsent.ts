import type { Ask } from './counters.ts';
import { mostIds, partsOf, type ToLeader } from './messages.ts';

/** The longest time for which messages to the leader are joined that nobody waits for, in milliseconds. */
const joinMs = 20;
/** The most requests granted alone, and the most ends, that are kept until there is a leader. */
const mostKept = 10_000;

/** Messages of a process to the leader, joined to a few. */
export class Unsent {
  readonly #tell: (message: ToLeader) => void;
  readonly #hasLeader: () => boolean;
  /** Requests that were granted alone or by a loan, of which the leader does not know. */
  #granted: Ask[] = [];
  #returned: number[] = [];
  #ends: NonNullable<ToLeader['ends']> = [];
  #asks: Ask[] = [];
  #now: NodeJS.Immediate | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(tell: (message: ToLeader) => void, hasLeader: () => boolean) {
    this.#tell = tell;
    this.#hasLeader = hasLeader;
  }

  ask(ask: Ask): void {
    this.#asks.push(ask);
    this.#now ??= setImmediate(() => this.send());
  }

  ended(id: number, used?: number): void {
    if (this.#ends.length < mostKept) this.#ends.push(used === undefined ? [id] : [id, used]);
    this.#sendSoon();
  }

  /** Adds a request that was granted without the leader. */
  grantedAlone(ask: Ask): void {
    if (this.#granted.length < mostKept) this.#granted.push(ask);
  }

  /** Adds a request that has begun, whatever is left of its limits. */
  begun(ask: Ask): void {
    this.grantedAlone(ask);
    this.#sendSoon();
  }

  grantedByLoan(ask: Ask, loan: number): void {
    this.#granted.push({ ...ask, loan });
    this.#sendSoon();
  }

  /** Adds a loan that is not used any more. */
  returned(loan: number): void {
    this.#returned.push(loan);
    this.#sendSoon();
  }

  /** Returns the requests that were granted alone, which a report tells the leader. */
  takeAlone(): Ask[] {
    const alone = this.#granted.filter(({ loan }) => loan === undefined);
    this.#granted = this.#granted.filter(({ loan }) => loan !== undefined);
    return alone;
  }

  /** Drops everything, since this process is the leader now. */
  clear(): void {
    this.#granted = [];
    this.#returned = [];
    this.#ends = [];
    this.#asks = [];
  }

  /** Sends everything, with the ids of all running requests if they are given. Without a leader it keeps all but the asks. */
  send(running?: number[]): void {
    clearTimeout(this.#soon);
    this.#now = undefined;
    this.#soon = undefined;
    const asks = this.#asks;
    this.#asks = [];
    // A leader that hears of a request before it was granted would not count it.
    if (!this.#hasLeader()) return;
    const { ends, returned } = { ends: this.#ends, returned: this.#returned };
    this.#ends = [];
    this.#returned = [];
    const granted = partsOf(this.#granted.splice(0), 'requests');
    const lastGranted = granted.pop() ?? [];
    for (const part of granted) this.#tell({ granted: part });
    const [first = [], ...more] = partsOf(asks, 'requests');
    this.#tell({
      ...(lastGranted.length > 0 && { granted: lastGranted }),
      ...(returned.length > 0 && { returned }),
      ...(ends.length > 0 && { ends }),
      ...(running && running.length <= mostIds && { beat: running }),
      ...(first.length > 0 && { asks: first }),
    });
    for (const part of more) this.#tell({ asks: part });
  }

  #sendSoon(): void {
    this.#soon ??= setTimeout(() => this.send(), joinMs).unref();
  }
}
