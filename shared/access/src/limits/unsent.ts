import type { Clock, Timer } from '@model-gateway/clock';
import type { Settlement } from '../budgets/budget.ts';
import {
  type Ask,
  type End,
  type KnownCounts,
  mostIds,
  partsOf,
  type Repaid,
  type Report,
  type ToLeader,
} from './messages.ts';
import type { Granted } from './running.ts';

/** The longest time for which messages to the leader are joined that nobody waits for, in milliseconds. */
const joinMs = 20;
/** Time in which a whole copy of the leader's counts comes, in milliseconds. */
const copyMs = 1_000;
/** The most requests granted without a leader, and the most ends, that are kept until there is one. */
const mostKept = 10_000;

/** Messages of a process to the leader, joined to a few. */
export class Unsent {
  readonly #tell: (message: ToLeader) => void;
  readonly #hasLeader: () => boolean;
  readonly #clock: Clock;
  /** Requests that were granted without the leader or by a loan, of which it does not know. */
  #granted: Ask[] = [];
  #repaid: Repaid[] = [];
  #settled: Settlement[] = [];
  #ends: End[] = [];
  #late: number[] = [];
  /** Requests that have ended while there was no leader, of which the next one may not know. */
  #ended: Granted[] = [];
  #raises: NonNullable<ToLeader['raises']> = [];
  #asks: Ask[] = [];
  #needsCopy = false;
  #copyAskedAt = Number.NEGATIVE_INFINITY;
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

  /** Adds a request that has ended, with its real cost if it has one. The next leader may not know a `granted` one. */
  ended(end: End, settlement: Settlement | undefined, granted: Granted | undefined): void {
    if (this.#ends.length < mostKept) {
      this.#ends.push(end);
      if (granted && !this.#hasLeader()) this.#ended.push(granted);
    }
    if (!settlement) return this.#sendSoon();
    if (this.#settled.length < mostKept) this.#settled.push(settlement);
    // The next request may need what was reserved for this one.
    this.#sendNow();
  }

  /** Adds a request that was served late, and ends now. */
  late(id: number): void {
    if (this.#late.length < mostKept) this.#late.push(id);
  }

  /** Adds a request that this process refused, though the leader may have granted it. */
  refused(id: number): void {
    if (this.#ends.length < mostKept) this.#ends.push([id, 0, true]);
    this.#sendSoon();
  }

  /** Asks for a whole copy of the leader's counts, unless it did lately. */
  needsCopy(): void {
    const now = this.#clock.monotonic();
    if (now - this.#copyAskedAt < copyMs) return;
    this.#copyAskedAt = now;
    this.#needsCopy = true;
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
  repaid(loan: Repaid): void {
    this.#repaid.push(loan);
    this.#sendSoon();
  }

  /** Adds to a report what no leader knows. A loan of one before counted already. */
  addTo(report: Report): Report {
    const now = this.#clock.monotonic();
    const ended = this.#ended.map(({ ask, at }) => ({ ask, ageMs: now - at }));
    const granted = this.#granted.splice(0).filter(({ loan }) => loan === undefined);
    return { ...report, granted, running: [...report.running, ...ended] };
  }

  /** Drops everything, since this process is the leader now. Returns the ends of requests. */
  takeEnds(): End[] {
    const ends = this.#ends;
    this.#granted = [];
    this.#repaid = [];
    this.#settled = [];
    this.#ends = [];
    this.#late = [];
    this.#ended = [];
    this.#raises = [];
    this.#asks = [];
    this.#needsCopy = false;
    return ends;
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
    const [ends, repaid, settled, needsCopy] = [this.#ends, this.#repaid, this.#settled, this.#needsCopy];
    const late = this.#late;
    this.#late = [];
    this.#ends = [];
    this.#ended = [];
    this.#repaid = [];
    this.#needsCopy = false;
    if (settled.length > 0) this.#settled = [];
    const granted = partsOf(this.#granted.splice(0), 'requests');
    const lastGranted = granted.pop() ?? [];
    for (const part of granted) this.#tell({ granted: part });
    // The costs come before the ends, so that they are never missing.
    this.settled(settled);
    const [first = [], ...more] = partsOf(asks, 'requests');
    this.#tell({
      ...(lastGranted.length > 0 && { granted: lastGranted }),
      ...(repaid.length > 0 && { repaid }),
      ...(late.length > 0 && { late }),
      ...(ends.length > 0 && { ends }),
      ...(running && running.length <= mostIds && { beat: running }),
      ...(raises.length > 0 && { raises }),
      ...(first.length > 0 && { asks: first }),
      ...(needsCopy && { needsCopy }),
    });
    for (const part of more) this.#tell({ asks: part });
  }

  /** Sends what this process knows to a new leader: `known` are the counts of the one before, unless that knows them. */
  report({ granted = [], running, settled = [] }: Report, known?: KnownCounts): void {
    this.settled(settled);
    for (const part of partsOf(granted, 'requests'))
      if (part.length > 0) this.#tell({ report: { granted: part, running: [] } });
    const parts = known ? partsOf(known.past, 'keys') : [];
    for (const [i, past] of parts.entries())
      this.#tell({
        report: { running: [], known: { ...(known as KnownCounts), past, left: parts.length - 1 - i } },
      });
    this.running(running);
  }

  /** Sends running requests that the leader does not know. */
  running(running: Report['running']): void {
    for (const part of partsOf(running, 'requests')) this.#tell({ report: { running: part } });
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

/** Time for which the cost of an ended request is remembered, in milliseconds, and the most of them. */
const rememberedMs = 10_000;
const mostRemembered = 10_000;

/** The costs of requests that ended lately, for a new leader. */
export class RecentCosts {
  /** The oldest first. */
  readonly #recent: { settlement: Settlement; at: number }[] = [];

  add(settlements: readonly Settlement[], at: number): void {
    for (const settlement of settlements) this.#recent.push({ settlement, at });
    const young = this.#recent.findIndex(each => at - each.at <= rememberedMs);
    this.#recent.splice(0, Math.max(young, this.#recent.length - mostRemembered));
  }

  all(now: number): Settlement[] {
    return this.#recent.flatMap(({ settlement, at }) => (now - at <= rememberedMs ? settlement : []));
  }
}
