import type { Clock, Timer } from '@model-gateway/clock';
import type { Settlement } from '../budgets/messages.ts';
import type { Ask } from './ask.ts';
import { mostIds, partsOf, type Report, type ToLeader } from './messages.ts';

/** The longest time for which messages to the leader are joined that nobody waits for, in milliseconds. */
const joinMs = 20;
/** The most requests granted alone, and the most ends, that are kept until there is a leader. */
const mostKept = 10_000;

/** Messages of a process to the leader, joined to a few. */
export class Unsent {
  readonly #tell: (message: ToLeader) => void;
  readonly #hasLeader: () => boolean;
  readonly #clock: Clock;
  /** Requests that were granted alone or by a loan, of which the leader does not know. */
  #granted: Ask[] = [];
  #returned: number[] = [];
  #settled: Settlement[] = [];
  #ends: NonNullable<ToLeader['ends']> = [];
  #raises: NonNullable<ToLeader['raises']> = [];
  #asks: Ask[] = [];
  #now: NodeJS.Immediate | undefined;
  #soon: Timer | undefined;

  constructor(tell: (message: ToLeader) => void, hasLeader: () => boolean, clock: Clock) {
    this.#tell = tell;
    this.#hasLeader = hasLeader;
    this.#clock = clock;
  }

  ask(ask: Ask): void {
    this.#asks.push(ask);
    this.#sendNow();
  }

  /** Adds what a running request may spend now. */
  raised(id: number, amount: number): void {
    this.#raises.push([id, amount]);
    this.#sendNow();
  }

  /** Adds a request that has ended, with its real cost if it has one. */
  ended(id: number, used?: number, settlement?: Settlement): void {
    if (this.#ends.length < mostKept) this.#ends.push(used === undefined ? [id] : [id, used]);
    if (!settlement) return this.#sendSoon();
    if (this.#settled.length < mostKept) this.#settled.push(settlement);
    // The next request may need what was reserved for this one.
    this.#sendNow();
  }

  /** Adds a request that this process refused, though the leader may have granted it. */
  refused(id: number): void {
    // An older leader gives back all but the request itself.
    if (this.#ends.length < mostKept) this.#ends.push([id, 0, true]);
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

  /** Drops everything, since this process is the leader now. */
  clear(): void {
    this.#granted = [];
    this.#returned = [];
    this.#settled = [];
    this.#ends = [];
    this.#raises = [];
    this.#asks = [];
  }

  /** Sends everything, with the ids of all running requests if they are given. Without a leader it keeps all but the asks and raises, whose replies are not waited for that long. */
  send(running?: number[]): void {
    this.#clock.clearTimeout(this.#soon);
    this.#now = undefined;
    this.#soon = undefined;
    const [asks, raises] = [this.#asks, this.#raises];
    this.#asks = [];
    if (raises.length > 0) this.#raises = [];
    // A leader that hears of a request before it was granted would not count it.
    if (!this.#hasLeader()) return;
    const [ends, returned, settled] = [this.#ends, this.#returned, this.#settled];
    this.#ends = [];
    this.#returned = [];
    if (settled.length > 0) this.#settled = [];
    const granted = partsOf(this.#granted.splice(0), 'requests');
    const lastGranted = granted.pop() ?? [];
    for (const part of granted) this.#tell({ granted: part });
    // The costs come before the ends, so that they are never missing.
    this.settled(settled);
    const [first = [], ...more] = partsOf(asks, 'requests');
    this.#tell({
      ...(lastGranted.length > 0 && { granted: lastGranted }),
      ...(returned.length > 0 && { returned }),
      ...(ends.length > 0 && { ends }),
      ...(running && running.length <= mostIds && { beat: running }),
      ...(raises.length > 0 && { raises }),
      ...(first.length > 0 && { asks: first }),
    });
    for (const part of more) this.#tell({ asks: part });
  }

  /** Sends what this process counted to a new leader. */
  report({ id, past, running, settled = [] }: Report): void {
    const alone = this.#granted.filter(({ loan }) => loan === undefined);
    this.#granted = this.#granted.filter(({ loan }) => loan !== undefined);
    this.settled(settled);
    for (const part of partsOf(past, 'keys')) this.#tellPart({ id, past: part });
    for (const part of partsOf(alone, 'requests')) this.#tellPart({ id, alone: part });
    for (const part of partsOf(running, 'requests')) this.#tellPart({ id, running: part });
  }

  /** Sends running requests that the leader does not know. */
  running(running: Report['running']): void {
    this.#tellPart({ id: 0, running });
  }

  #tellPart(part: Pick<Report, 'id'> & Partial<Report>): void {
    this.#tell({ report: { past: [], running: [], ...part } });
  }

  /** Sends the costs of requests that have ended. */
  settled(settled: readonly Settlement[]): void {
    for (const part of partsOf(settled, 'requests')) if (part.length > 0) this.#tell({ settled: part });
  }

  #sendNow(): void {
    this.#now ??= setImmediate(() => this.send());
  }

  #sendSoon(): void {
    this.#soon ??= this.#clock.setTimeout(() => this.send(), joinMs).unref();
  }
}
