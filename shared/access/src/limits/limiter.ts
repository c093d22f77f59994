import { type Bus, Candidate, Questions, spendingSubjects } from '@model-gateway/bus';
import type { Clock, Timer } from '@model-gateway/clock';
import { Accounts, sourceOver } from '../budgets/accounts.ts';
import type { Costs, Overspent, Settlement } from '../budgets/budget.ts';
import { LastCounts } from './last-counts.ts';
import { LimitLeader } from './leader.ts';
import { type LeaderParts, ReceivedHandover } from './leader-parts.ts';
import type { Counted } from './limits.ts';
import { Borrowed, mayBorrow } from './loans.ts';
import {
  type Ask,
  type CopyVersion,
  type Decision,
  type End,
  type FromLeader,
  isNewer,
  type LeftQuestion,
  partsOf,
  type Report,
  type ToLeader,
  withReserved,
} from './messages.ts';
import { type RefusingLimit, refusalOf, uncheckable } from './refusal.ts';
import { Replies } from './replies.ts';
import { type OnSpending, Running, type Slot } from './running.ts';
import { RecentCosts, Unsent } from './unsent.ts';

/** Time in which the leader must answer, in milliseconds. After it this process asks again, the next leader if there is one. */
const answerMs = 1_000;
/** Age of a question after which its answer does not grant any more, in milliseconds: the leader counts from when it decided. */
const staleMs = 1_500;
/** Interval of the beats, in milliseconds: each tells the leader which requests of this process run. */
const beatMs = 1_000;
/** The longest time that a request waits for a leader: longer than another process needs to take over, in milliseconds. */
export const waitMs = 5_000;
/** The same for a request with a budget. */
const budgetWaitMs = 8_000;
/** Interval in which it looks for one, in milliseconds. */
const lookMs = 50;
/** Time after a reconnect in which the leader may not hear everything, in milliseconds. */
const lostMs = 3_000;

/** The rule for requests with limits if no leader has decided in time: they pass, or are refused. */
export type LimitsPolicy = 'open' | 'closed';

/** Applies limits over all processes: one of them, the leader, counts, and the others ask it. */
export class Limiter {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #candidate: Candidate;
  readonly #policy: LimitsPolicy;
  /** Called with each limit that refuses a request, or `budget`. */
  onRefused: (limit: RefusingLimit) => void = () => {};
  /** Set while this process is the leader. */
  #leader: LimitLeader | undefined;
  readonly #lastCounts = new LastCounts();
  readonly #running = new Running();
  /** The requests on which the leader decides, and when it was asked, in milliseconds of the monotonic clock. */
  readonly #decisions: Replies<{ ask: Ask; at: number }, Decision>;
  readonly #raised: Replies<number, Overspent | null>;
  readonly #spending: Questions;
  readonly #costs = new RecentCosts();
  readonly #handover = new ReceivedHandover();
  readonly #unsent: Unsent;
  readonly #borrowed: Borrowed;
  readonly #timer: Timer;
  #lastId = 0;
  #isClosed = false;

  constructor(bus: Bus, policy: LimitsPolicy) {
    this.#bus = bus;
    this.#clock = bus.clock;
    this.#policy = policy;
    this.#decisions = new Replies(answerMs, bus.clock);
    this.#raised = new Replies(answerMs, bus.clock);
    const tell = (message: ToLeader) => this.#candidate.ask(message);
    this.#unsent = new Unsent(tell, () => this.#candidate.hasLeader, bus.clock);
    this.#borrowed = new Borrowed(loan => this.#unsent.repaid(loan), bus.clock);
    this.#candidate = Candidate.start(bus, {
      elected: () => this.#elected(),
      deposed: () => this.#stopLeading(),
      asked: (message, from) => this.#leader?.read(message as ToLeader, from),
      questioned: async question => this.#leader?.left(question as LeftQuestion),
      answered: message => this.#answered(message as FromLeader),
      reconnected: () => this.#leader?.reconnected(),
    });
    this.#spending = new Questions(bus, spendingSubjects);
    this.#timer = bus.clock.setInterval(() => this.#beat(), beatMs).unref();
  }

  /** True if this process counts for all. */
  get isLeader(): boolean {
    return this.#leader !== undefined && this.#candidate.isLeader;
  }

  /**
   * Takes a slot in each of the limits and reserves the costs, unless a limit is reached or a budget has not enough left. `tokens`: an
   * estimate of the tokens that the request will use.
   * @throws GatewayError of kind `overloaded` if the limits or budgets cannot be checked for long
   */
  async take(
    counted: readonly Counted[],
    tokens: number,
    costs?: Costs,
    onSpending?: OnSpending,
  ): Promise<Slot> {
    const ask: Ask = { id: ++this.#lastId, counted, tokens, ...(costs && { costs }) };
    const decision = await this.#decide(ask);
    const refused = refusalOf(decision, tokens);
    if (refused) this.onRefused(decision.exceeded?.limit ?? 'budget');
    if (refused) return { decision, refusal: refused, end() {} };
    return {
      decision,
      end: this.#begin(withReserved(ask, decision), onSpending),
      ...(costs && { raise: amount => this.#raise(ask.id, amount) }),
    };
  }

  /** Counts a request that has begun already, even if a limit is reached, and returns the function that ends it. */
  count(counted: readonly Counted[]): Slot['end'] {
    const ask: Ask = { id: ++this.#lastId, counted, tokens: 0 };
    if (this.isLeader && this.#leader) this.#leader.grant(ask);
    else this.#unsent.begun(ask);
    return this.#begin(ask);
  }

  /** Stops. If this process is the leader, it gives its counts to the next one. */
  async close(): Promise<void> {
    this.#clock.clearInterval(this.#timer);
    if (this.isLeader && this.#leader?.hasBegun) {
      for (const past of partsOf(this.#leader.handOver(), 'keys'))
        this.#candidate.answerAll({ past } satisfies FromLeader);
      for (const settled of partsOf(this.#costs.all(this.#clock.monotonic()), 'requests'))
        this.#candidate.answerAll({ settled } satisfies FromLeader);
    }
    // The slots of all its requests are free.
    else this.#unsent.send([]);
    this.#stopLeading();
    this.#isClosed = true;
    for (const { resolve } of this.#decisions.takeAll()) resolve(undefined);
    this.#spending.close();
    await this.#candidate.close();
  }

  #begin(ask: Ask, onSpending?: OnSpending): Slot['end'] {
    this.#running.add({ ask, at: this.#clock.monotonic(), onSpending });
    return (used, settlement, unserved) =>
      this.#end(unserved ? [ask.id, 0, true] : [ask.id, used], settlement);
  }

  /** Returns the leader's decision. @throws GatewayError if there is none for long, and requests are refused then */
  async #decide(ask: Ask): Promise<Decision> {
    const longest = ask.costs ? budgetWaitMs : waitMs;
    let giveUp = this.#clock.monotonic() + longest;
    let decision: Decision | undefined;
    while (!decision) {
      const before = this.#clock.monotonic();
      if (giveUp <= before || this.#isClosed) break;
      if (this.isLeader && this.#leader) decision = await this.#leader.decide(ask);
      else if (this.#candidate.hasLeader)
        decision = this.#decideByLoan(ask) ?? (await this.#askLeader(ask, giveUp - before));
      if (decision) break;
      this.#bus.responds();
      const waited = this.#clock.monotonic() - before;
      // This process stood still.
      if (waited > longest) giveUp = before + waited + longest;
      if (waited < lookMs) await this.#clock.sleep(lookMs - waited);
    }
    if (decision && !decision.unknown) return decision;
    if (this.#policy === 'open') {
      this.#unsent.grantedAlone(ask);
      return { id: ask.id };
    }
    this.#unsent.refused(ask.id);
    const isUp = this.#bus.connected() && this.#bus.responds();
    throw uncheckable(ask.costs ? 'budget' : 'limits', isUp && this.#candidate.reconnectedMs > longest);
  }

  /** Grants a request without asking, if the leader has lent its slot. */
  #decideByLoan(ask: Ask): Decision | undefined {
    const granted = mayBorrow(ask) ? this.#borrowed.grant(ask, this.#clock.monotonic()) : undefined;
    if (granted) this.#unsent.grantedByLoan(ask, granted.loan);
    return granted?.decision;
  }

  /** Returns the leader's decision; undefined if it does not answer in time. */
  #askLeader(ask: Ask, longest: number): Promise<Decision | undefined> {
    const at = this.#clock.monotonic();
    this.#unsent.ask(mayBorrow(ask) && this.#borrowed.asks(ask, at) ? { ...ask, borrow: true } : ask);
    return this.#decisions.wait(ask.id, { ask, at }, Math.min(answerMs, longest));
  }

  async #raise(id: number, amount: number): Promise<Overspent | undefined> {
    const granted = this.#running.get(id);
    const { costs } = granted?.ask ?? {};
    if (!granted || !costs) return undefined;
    granted.ask = { ...granted.ask, costs: { ...costs, amount } };
    if (this.isLeader && this.#leader) return this.#leader.raise(id, amount);
    this.#unsent.raised(id, amount);
    return (await this.#raised.wait(id, id)) ?? undefined;
  }

  #end(end: End, settlement: Settlement | undefined): void {
    const [id] = end;
    const granted = this.#running.take(id);
    if (!granted) return;
    this.#borrowed.ended(id);
    const now = this.#clock.monotonic();
    if (settlement) this.#costs.add([settlement], now);
    const isLate = now - granted.at > this.#candidate.reconnectedMs;
    if (this.isLeader) return this.#leader?.end(end, settlement, isLate);
    if (isLate) this.#unsent.late(id);
    this.#unsent.ended(end, settlement, this.#lastCounts.end(end, isLate) ? undefined : granted);
  }

  #beat(): void {
    const now = this.#clock.monotonic();
    if (this.isLeader) {
      this.#leader?.sweep();
      const spending = this.#leader?.spending ?? [];
      if (spending.length > 0) this.#running.tell(spending);
      return;
    }
    this.#borrowed.sweep(now);
    // Messages may be lost with a connection.
    if (this.#candidate.reconnectedMs <= lostMs) this.#unsent.settled(this.#costs.all(now));
    this.#unsent.send(this.#running.ids);
  }

  #answered(message: FromLeader): void {
    const { decisions, raised, spending, settled, report, elected, knows, unknown, past, copy } = message;
    const now = this.#clock.monotonic();
    const isOwn = copy?.term === this.#leader?.term;
    if (copy && !isOwn && !this.#lastCounts.read(copy, now) && !this.isLeader) this.#unsent.needsCopy();
    if (message.slots && !this.isLeader) this.#lastCounts.readSlots(message.slots, now);
    if (past && !this.isLeader) this.#handover.add(past, now);
    if (settled && !this.isLeader) this.#costs.add(settled, now);
    if (report && !this.isLeader) this.#sendReport(knows, now);
    // The new leader counts what was handed over. A later one must not.
    if (elected) this.#handover.take(now);
    if (elected && !this.isLeader) for (const { ask } of this.#decisions.questions) this.#unsent.ask(ask);
    if (unknown) this.#unsent.running(this.#running.report(now, unknown));
    for (const decision of decisions ?? []) this.#decided(decision, now);
    for (const [id, over] of raised ?? []) this.#raised.take(id)?.resolve(over);
    if (spending) this.#running.tell(spending);
  }

  #decided({ loan, ...decision }: Decision, now: number): void {
    const waiting = this.#decisions.take(decision.id);
    if (!waiting) return;
    const { ask, at } = waiting.question;
    if (loan) this.#borrowed.take(ask, loan, decision, at);
    // A slot that was lent to this process may be left.
    if (decision.exceeded) return waiting.resolve(this.#decideByLoan(ask) ?? decision);
    waiting.resolve(now - at > staleMs ? undefined : decision);
  }

  #sendReport(knows: CopyVersion | undefined, now: number): void {
    this.#borrowed.clear();
    const isNews = knows !== undefined && isNewer(this.#lastCounts.version, knows);
    this.#unsent.report(this.#report(), isNews ? this.#lastCounts.known(now) : undefined);
  }

  /** Begins to count for all, with what every process knows. */
  #elected(): void {
    this.#borrowed.clear();
    const source = sourceOver(this.#spending, this.#candidate);
    const now = this.#clock.monotonic();
    const own = this.#report();
    const parts: LeaderParts = {
      term: this.#candidate.term,
      name: this.#candidate.name,
      own,
      handover: this.#handover.take(now),
      ...this.#lastCounts.forLeader(this.#clock),
      isLeading: () => this.#leader === leader && this.#candidate.isLeader,
      connected: () => this.#bus.connected(),
      isAfterCut: this.#candidate.reconnectedMs <= lostMs,
      arrived: () => this.#bus.calls.flush(),
      openAccounts: afterLoss => new Accounts(source, this.#clock, afterLoss),
      answer: (to, message) => this.#candidate.answer(to, message),
      answerAll: message => this.#candidate.answerAll(message),
      probe: (process, missed) => this.#candidate.probe(process, missed),
    };
    const leader = new LimitLeader(parts, this.#clock);
    this.#leader = leader;
    for (const end of this.#unsent.takeEnds()) leader.end(end);
    this.#candidate.answerAll({ report: true, elected: true, knows: parts.knows } satisfies FromLeader);
    for (const { question, resolve } of this.#decisions.takeAll()) resolve(leader.decide(question.ask));
    for (const { resolve } of this.#raised.takeAll()) resolve(null);
  }

  #stopLeading(): void {
    const leader = this.#leader;
    this.#leader = undefined;
    if (!leader) return;
    leader.stop();
    this.#lastCounts.keep(leader);
  }

  #report(): Report {
    const running = this.#running.report(this.#clock.monotonic());
    return this.#unsent.addTo({ running, settled: this.#costs.all(this.#clock.monotonic()) });
  }
}
