import type { Clock, Timer } from '@model-gateway/clock';
import type { Accounts } from '../budgets/accounts.ts';
import type { Charged, Costs, Overspent, Settlement } from '../budgets/budget.ts';
import { Copies } from './copies.ts';
import { Counters } from './counters.ts';
import { Inherited, type LeaderParts } from './leader-parts.ts';
import { Loans } from './loans.ts';
import {
  type Ask,
  type Decision,
  type End,
  type LeftAnswer,
  type LeftQuestion,
  type PastCount,
  partsOf,
  type Report,
  type Spending,
  type ToLeader,
} from './messages.ts';
import { LeaderSlots, OtherProcesses, self } from './other-processes.ts';

/** Time that a new leader waits for the reports of the others, in milliseconds. */
const reportMs = 300;
/** The same if all of them were just cut off. */
const reconnectMs = 1_000;
/**
 * Time that a new leader without a handover waits before it decides on requests with a budget, in milliseconds: longer than a beat and the time in which
 * the ledger has an attempt.
 */
const budgetReportMs = 1_500;
/** Age after which a request that a beat does not name is over, in milliseconds. */
const settledMs = 2_000;
/** The most requests that a process is asked for at once. */
const mostAsked = 500;

/** Counts for all processes, while this process is the leader. */
export class LimitLeader {
  readonly #clock: Clock;
  readonly #parts: LeaderParts;
  /** Set once a request has a budget. */
  #opened: Accounts | undefined;
  readonly #counters = new Counters({
    reserve: (costs, process) => this.#accounts.reserve(costs, process === self),
    free: (costs, process) => this.#accounts.free(costs, process === self),
  });
  readonly #loans = new Loans(this.#counters);
  readonly #copies: Copies;
  readonly #inherited: Inherited;
  readonly #others: OtherProcesses;
  readonly #slots: LeaderSlots;
  /** The processes that have sent their report to this leader. */
  readonly #reported = new Set<string>();
  /** The asks and ends that came before the reports of the others; undefined once those have come. */
  #early: (() => void)[] | undefined = [];
  /** True once it goes on from the counts of the leader before. */
  hasBegun = false;
  /** When it decides on requests with a budget, in milliseconds of the monotonic clock. */
  readonly #budgetsAt: number;
  readonly #timer: Timer;

  constructor(parts: LeaderParts, clock: Clock) {
    this.#clock = clock;
    this.#parts = parts;
    this.#inherited = new Inherited(parts);
    this.#others = new OtherProcesses(parts, clock, process => this.#slots.lost(process, clock.monotonic()));
    this.#slots = new LeaderSlots(this.#counters, parts, this.#others);
    this.#copies = new Copies(this.#counters, parts, parts.term, clock);
    const now = clock.monotonic();
    this.#budgetsAt = parts.handover ? now : now + budgetReportMs;
    this.#report(self, parts.own);
    const waitMs = parts.isAfterCut ? reconnectMs : reportMs;
    this.#timer = clock.setTimeout(() => void this.#begin(), waitMs).unref();
  }

  get term(): number {
    return this.#parts.term;
  }

  /** Number of processes that are not silent, this one included. */
  get processes(): number {
    return 1 + this.#others.working(this.#clock.monotonic());
  }

  /** Returns the counts for the next leader, to which no loan is known. */
  handOver(): PastCount[] {
    const now = this.#clock.monotonic();
    this.#loans.lapse(now, 0);
    return this.#counters.past(now);
  }

  /** Stops to decide. */
  stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#others.stop();
    this.#readEarly();
  }

  get #accounts(): Accounts {
    this.#opened ??= this.#parts.openAccounts(this.#parts.handover === undefined);
    return this.#opened;
  }

  /** Decides on a request of this process; undefined if that must wait. */
  decide(ask: Ask): Decision | undefined | Promise<Decision | undefined> {
    const early = this.#early;
    if (early) return new Promise<void>(resolve => early.push(resolve)).then(() => this.decide(ask));
    const loading = ask.costs && this.#load(ask.costs.budgets);
    return loading ? loading.then(() => this.#decide(self, ask)) : this.#decide(self, ask);
  }

  /** Counts a request of this process that nobody decided on. */
  grant(ask: Ask): void {
    const now = this.#clock.monotonic();
    this.#counters.grant(self, ask, now);
    if (this.hasBegun) this.#copies.tell(ask.counted, now);
  }

  /** Ends a request of this process. */
  end([id, used, unserved]: End, settlement?: Settlement, isLate = false): void {
    if (settlement) this.#accounts.settle(settlement);
    if (this.#early) return void this.#early.push(() => this.end([id, used, unserved], undefined, isLate));
    const now = this.#clock.monotonic();
    if (isLate) this.#counters.delay(self, id, now);
    this.#counters.end(self, id, used, now, unserved);
  }

  /** Raises what a request of this process may spend; returns the budget of which nothing is left, if there is one. */
  raise(id: number, amount: number): Overspent | undefined {
    return this.#raise(self, id, amount);
  }

  /** Returns what was spent of those budgets that end streams of this process. */
  get spending(): Spending[] {
    return this.#spendingOf(self);
  }

  /** Tells what is left. */
  async left({ counted, budgets }: LeftQuestion): Promise<LeftAnswer> {
    if (budgets.length > 0) await this.#load(budgets);
    const limits = this.#counters.left(counted, this.#clock.monotonic());
    const isKnown = budgets.length === 0 || this.#accounts.knows(budgets);
    return { limits, budgets: isKnown ? budgets.map(budget => this.#accounts.state(budget)) : null };
  }

  /** Reads a message of another process. */
  read(message: ToLeader, from: string): void {
    const { report, granted, repaid, settled, late, ends, beat, raises, asks, needsCopy } = message;
    const now = this.#clock.monotonic();
    const isNew = this.#others.heard(from, now);
    if (this.hasBegun && (needsCopy || isNew)) this.#copies.tellAll(now, from);
    if (report) this.#report(from, report);
    for (const ask of granted ?? []) {
      this.#loans.used(from, ask, now);
      this.#counters.grant(from, ask, now);
    }
    for (const loan of repaid ?? []) this.#loans.repaid(from, loan, now);
    for (const settlement of settled ?? []) this.#accounts.settle(settlement);
    // A refused request may have asked before.
    if (ends) this.#onceBegun(() => this.#readEnds(ends, late, from));
    if (beat) this.#answerBeat(beat, from, now);
    if (raises)
      this.#parts.answer(from, {
        raised: raises.map(([id, amount]) => [id, this.#raise(from, id, amount) ?? null]),
      });
    if (asks) this.#onceBegun(() => this.#answerAsks(asks, from));
  }

  #readEnds(ends: readonly End[], late: readonly number[] = [], from: string): void {
    const now = this.#clock.monotonic();
    for (const id of late) this.#counters.delay(from, id, now);
    for (const [id, used, unserved] of ends) {
      this.#loans.ended(from, id, now);
      this.#counters.end(from, id, used, now, unserved);
    }
  }

  #onceBegun(read: () => void): void {
    if (this.#early) this.#early.push(read);
    else read();
  }

  #answerBeat(running: number[], from: string, now: number): void {
    this.#counters.keepOnly(from, new Set(running), now - settledMs, now);
    const unknown = this.#counters.unknown(from, running).slice(0, mostAsked);
    for (const spending of partsOf(this.#spendingOf(from), 'requests'))
      if (spending.length > 0) this.#parts.answer(from, { spending });
    if (!this.#reported.has(from)) this.#parts.answer(from, { report: true, knows: this.#parts.knows });
    else if (unknown.length > 0) this.#parts.answer(from, { unknown });
  }

  /** Answers at once those asks whose budgets are known, and the others once theirs are. */
  #answerAsks(asks: readonly Ask[], from: string): void {
    const waiting = asks.filter(({ costs }) => costs && this.#load(costs.budgets));
    const decide = (ready: readonly Ask[]) => {
      const decisions = ready.flatMap(ask => this.#decide(from, ask) ?? []);
      if (decisions.length > 0) this.#parts.answer(from, { decisions });
    };
    const ready = waiting.length === 0 ? asks : asks.filter(ask => !waiting.includes(ask));
    if (ready.length > 0) decide(ready);
    const budgets = waiting.flatMap(({ costs }) => costs?.budgets ?? []);
    if (waiting.length > 0) void this.#load(budgets)?.then(() => decide(waiting));
  }

  /** Resolves once it is known what was spent of budgets; undefined if it is already. */
  #load(budgets: readonly Charged[]): Promise<void> | undefined {
    const waitMs = this.#budgetsAt - this.#clock.monotonic();
    if (waitMs <= 0) return this.#accounts.load(budgets);
    return this.#clock.sleep(waitMs, { ref: false }).then(() => this.#accounts.load(budgets));
  }

  /** Decides on a request; undefined if this process is no leader any more, or nobody could serve it or hear of it. */
  #decide(from: string, ask: Ask): Decision | undefined {
    if (!this.#parts.isLeading() || !this.#parts.connected()) return undefined;
    const { id, counted, costs, borrow } = ask;
    const now = this.#clock.monotonic();
    // A process that had no answer asks again.
    if (this.#counters.has(from, id)) this.#counters.end(from, id, 0, now, true);
    const refused = costs && this.#decideCosts(id, costs);
    if (refused) return refused;
    const fitted = costs && this.#accounts.fitted(costs);
    const decision = this.#counters.decide(from, fitted ? { ...ask, costs: fitted } : ask, now);
    if (decision.exceeded) return decision;
    if (fitted && fitted !== costs) decision.reserved = fitted.amount;
    const loan = borrow && this.#loans.lend(from, ask, this.processes - 1, now);
    if (this.#others.size > 0) this.#copies.tell(counted, now);
    return loan ? { ...decision, loan } : decision;
  }

  /** Returns the decision on a request with a budget; undefined if its limits decide. */
  #decideCosts(id: number, costs: Costs): Decision | undefined {
    if (!this.#accounts.knows(costs.budgets)) return { id, unknown: true };
    const overspent = this.#accounts.refusing(costs);
    return overspent && { id, overspent };
  }

  #raise(from: string, id: number, amount: number): Overspent | undefined {
    const costs = this.#counters.raise(from, id, amount);
    return costs && this.#accounts.overspent(costs);
  }

  #spendingOf(from: string): Spending[] {
    const costs = this.#counters.running(from).flatMap(({ costs }) => costs ?? []);
    return this.#opened?.spendingOf(costs) ?? [];
  }

  /** Ends old loans, forgets processes that are gone, and tells the copies what has changed. */
  sweep(): void {
    void this.#opened?.refresh();
    const now = this.#clock.monotonic();
    if (this.#others.size === 0) return;
    this.#loans.lapse(now);
    for (const process of this.#others.forget(now)) this.#reported.delete(process);
    this.#slots.tell();
    if (this.hasBegun) this.#copies.tellChanges(now);
  }

  /** Sends all copies again, since messages may have been lost with the connection. */
  reconnected(): void {
    if (this.hasBegun) this.#copies.tellAll(this.#clock.monotonic());
  }

  #report(from: string, { granted = [], running, settled, known }: Report): void {
    const now = this.#clock.monotonic();
    for (const ask of granted) this.#counters.grant(from, ask, now);
    for (const settlement of settled ?? []) this.#accounts.settle(settlement);
    if (from !== self) this.#reported.add(from);
    if (known) this.#counters.addPast(this.#inherited.add(from, known, now), now);
    for (const { ask, ageMs } of running) this.#counters.resume(from, ask, now - ageMs, now);
    this.#slots.told(from, now);
  }

  async #begin(): Promise<void> {
    await this.#parts.arrived().catch(() => {});
    if (!this.#early || !this.#parts.isLeading()) return;
    const now = this.#clock.monotonic();
    this.#counters.addPast(this.#inherited.take(now), now);
    this.#slots.hold(this.#reported, now);
    this.hasBegun = true;
    this.#copies.tellAll(now);
    this.#readEarly();
  }

  #readEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const read of early) {
      try {
        read();
      } catch {
        // A process of another version may ask otherwise.
      }
    }
  }
}
