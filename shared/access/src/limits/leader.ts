import type { Clock, Timer } from '@model-gateway/clock';
import type { Accounts } from '../budgets/accounts.ts';
import type { Charged } from '../budgets/budget.ts';
import type { Costs, Overspent, Settlement } from '../budgets/messages.ts';
import type { Ask, Decision } from './ask.ts';
import { Counters, type PastCount } from './counters.ts';
import type { Handover } from './handover.ts';
import type { LeftAnswer, LeftQuestion } from './left.ts';
import { Loans } from './loans.ts';
import { type FromLeader, partsOf, type Report, type Spending, type ToLeader } from './messages.ts';

/** Time that a new leader waits for the reports of the others, in milliseconds. */
const reportMs = 300;
/**
 * Time that a new leader without a handover waits before it decides on requests with a budget, in milliseconds: longer than a beat and the time in which
 * the ledger has an attempt.
 */
const budgetReportMs = 1_500;
/** Time without a message after which the requests of a process are over, in milliseconds. */
const silentMs = 4_000;
/** Time without a message after which a process is forgotten: longer than what it reported counts, in milliseconds. */
const goneMs = 120_000;
/** Age after which a request that a beat does not name is over, in milliseconds. */
const settledMs = 2_000;

/** The most requests that a process is asked for at once. */
const mostAsked = 500;

/** The name of the leader's own process. */
const self = 'self';

/** Counts for all processes, while this process is the leader. */
export class LimitLeader {
  readonly #clock: Clock;
  readonly #answer: (to: string, message: FromLeader) => void;
  readonly #openAccounts: (afterLoss: boolean) => Accounts;
  /** Set once a request has a budget. */
  #opened: Accounts | undefined;
  readonly #counters = new Counters({
    reserve: (costs, process) => this.#accounts.reserve(costs, process === self),
    free: (costs, process) => this.#accounts.free(costs, process === self),
  });
  readonly #loans = new Loans(this.#counters);
  /** True if the leader before handed over what it had counted. */
  readonly #hasHandover: boolean;
  /** By process: when it last sent a message. */
  readonly #heardAt = new Map<string, number>();
  /** By process: the id of its report to this leader. Only that one's past counts. */
  readonly #reports = new Map<string, number>();
  /** By process without a report: when it was first counted here. */
  readonly #countedSince = new Map<string, number>();
  /** The asks and ends that came before the reports of the others; undefined once those have come. */
  #early: (() => void)[] | undefined = [];
  /** When it decides on requests with a budget, in milliseconds of the monotonic clock. */
  readonly #budgetsAt: number;
  readonly #timer: Timer;

  /** `own`: the counts of this process. `openAccounts` is called for the first request with a budget; `afterLoss` is true if the leader before handed nothing over. `answer` sends a message to a process. */
  constructor(
    own: Report,
    handover: Handover | undefined,
    openAccounts: (afterLoss: boolean) => Accounts,
    answer: (to: string, message: FromLeader) => void,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#answer = answer;
    this.#openAccounts = openAccounts;
    this.#hasHandover = handover !== undefined;
    const now = clock.monotonic();
    if (handover) this.#counters.addPast(agedBy(handover.past, now - handover.at), now);
    this.#budgetsAt = handover ? now : now + budgetReportMs;
    this.#report(self, own);
    this.#timer = clock.setTimeout(() => this.#begin(), reportMs).unref();
  }

  /** Number of processes that have sent a message lately, this one included. */
  get processes(): number {
    const now = this.#clock.monotonic();
    return 1 + [...this.#heardAt.values()].filter(at => now - at <= silentMs).length;
  }

  /** Returns the counts for the next leader, to which no loan is known. */
  handOver(): PastCount[] {
    const now = this.#clock.monotonic();
    this.#loans.lapse(now, 0);
    return this.#counters.past(now);
  }

  stop(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#begin();
  }

  get #accounts(): Accounts {
    this.#opened ??= this.#openAccounts(!this.#hasHandover);
    return this.#opened;
  }

  /** Decides on a request of this process. */
  decide(ask: Ask): Decision | Promise<Decision> {
    if (this.#early) return this.#begun(this.#early).then(() => this.decide(ask));
    const loading = ask.costs && this.#load(ask.costs.budgets);
    return loading ? loading.then(() => this.#decide(self, ask)) : this.#decide(self, ask);
  }

  /** Counts a request of this process that nobody decided on. */
  grant(ask: Ask): void {
    this.#counters.grant(self, ask, this.#clock.monotonic());
  }

  /** Ends a request of this process. */
  end(id: number, used: number | undefined, settlement: Settlement | undefined): void {
    if (settlement) this.#accounts.settle(settlement);
    this.#counters.end(self, id, used, this.#clock.monotonic());
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
  read({ report, granted, returned, settled, ends, beat, raises, asks }: ToLeader, from: string): void {
    const now = this.#clock.monotonic();
    this.#heardAt.set(from, now);
    if (report) this.#report(from, report);
    const counts = asks !== undefined || granted !== undefined;
    if (counts && !this.#reports.has(from) && !this.#countedSince.has(from))
      this.#countedSince.set(from, now);
    for (const ask of granted ?? []) {
      this.#loans.used(from, ask, now);
      this.#counters.grant(from, ask, now);
    }
    for (const id of returned ?? []) this.#loans.returned(from, id, now);
    for (const settlement of settled ?? []) this.#accounts.settle(settlement);
    // A refused request may have asked before.
    if (ends) this.#onceBegun(() => this.#readEnds(ends, from));
    if (beat) this.#answerBeat(beat, from, now);
    if (raises)
      this.#answer(from, {
        raised: raises.map(([id, amount]) => [id, this.#raise(from, id, amount) ?? null]),
      });
    if (asks) this.#onceBegun(() => this.#answerAsks(asks, from));
  }

  #readEnds(ends: NonNullable<ToLeader['ends']>, from: string): void {
    const now = this.#clock.monotonic();
    for (const [id, used, refused] of ends) {
      this.#loans.ended(from, id, now);
      this.#counters.end(from, id, used, now, refused);
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
      if (spending.length > 0) this.#answer(from, { spending });
    this.#answer(from, {
      processes: this.processes,
      ...(!this.#reports.has(from) && { report: true }),
      ...(this.#reports.has(from) && unknown.length > 0 && { unknown }),
    });
  }

  /** Answers at once those asks whose budgets are known, and the others once theirs are. */
  #answerAsks(asks: readonly Ask[], from: string): void {
    const waiting = asks.filter(({ costs }) => costs && this.#load(costs.budgets));
    const decide = (ready: readonly Ask[]) =>
      this.#answer(from, { decisions: ready.map(ask => this.#decide(from, ask)) });
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

  #decide(from: string, ask: Ask): Decision {
    const { id, costs } = ask;
    const now = this.#clock.monotonic();
    const refused = costs && this.#decideCosts(from, id, costs);
    if (refused) return refused;
    const decision = this.#counters.decide(from, ask, now);
    const loan =
      ask.borrow && !decision.exceeded ? this.#loans.lend(from, ask, this.processes - 1, now) : undefined;
    return loan ? { ...decision, loan } : decision;
  }

  /** Returns the decision on a request with a budget; undefined if its limits decide. */
  #decideCosts(from: string, id: number, costs: Costs): Decision | undefined {
    // A process that had no answer asks again.
    if (this.#counters.has(from, id)) return { id };
    if (!this.#accounts.knows(costs.budgets)) return { id, unknown: true };
    const overspent = this.#accounts.refusing(costs);
    return overspent && { id, overspent };
  }

  #raise(from: string, id: number, amount: number): Overspent | undefined {
    const costs = this.#counters.raise(from, id, amount);
    return costs && this.#accounts.overspent(costs);
  }

  #spendingOf(from: string): Spending[] {
    if (!this.#opened) return [];
    const ending = this.#counters
      .costsOf(from)
      .flatMap(({ budgets }) => budgets.filter(({ endsStreams }) => endsStreams));
    const byKey = new Map(ending.map(budget => [`${budget.from} ${budget.key}`, budget]));
    return [...byKey.values()].map(budget => ({
      key: budget.key,
      from: budget.from,
      spent: this.#accounts.spent(budget),
    }));
  }

  /** Ends the requests of processes that are gone, and old loans. */
  sweep(): void {
    void this.#opened?.refresh();
    const now = this.#clock.monotonic();
    if (this.#heardAt.size > 0) this.#loans.lapse(now);
    for (const [process, at] of this.#heardAt) {
      if (now - at > silentMs) this.#counters.endAll(process, now);
      if (now - at <= goneMs) continue;
      this.#heardAt.delete(process);
      this.#reports.delete(process);
      this.#countedSince.delete(process);
    }
  }

  #report(from: string, { id, past, running, alone, settled }: Report): void {
    const now = this.#clock.monotonic();
    for (const settlement of settled ?? []) this.#accounts.settle(settlement);
    if (!this.#reports.has(from)) this.#reports.set(from, id);
    const since = this.#countedSince.get(from);
    // This leader counted the younger ones.
    if (!this.#hasHandover && this.#reports.get(from) === id)
      this.#counters.addPast(past, now, since === undefined ? 0 : now - since);
    else for (const ask of alone ?? []) this.#counters.grant(from, ask, now);
    for (const { ask, ageMs } of running) this.#counters.resume(from, ask, now - ageMs, now);
  }

  /** Resolves once this leader decides. */
  #begun(early: (() => void)[]): Promise<void> {
    return new Promise(resolve => early.push(resolve));
  }

  #begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const decide of early) {
      try {
        decide();
      } catch {
        // A process of another version may ask otherwise. It decides alone.
      }
    }
  }
}

function agedBy(past: readonly PastCount[], ms: number): PastCount[] {
  const aged = (pairs: PastCount['requests']) =>
    pairs.map(([amount, ageMs]): [number, number] => [amount, ageMs + ms]);
  return past.map(({ key, requests, tokens }) => ({ key, requests: aged(requests), tokens: aged(tokens) }));
}
