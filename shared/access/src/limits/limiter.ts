import { type Bus, Candidate, Questions, spendingSubjects } from '@model-gateway/bus';
import type { Clock, Timer } from '@model-gateway/clock';
import { Accounts } from '../budgets/accounts.ts';
import type { Costs, Overspent, Settlement } from '../budgets/messages.ts';
import { RecentCosts } from '../budgets/recent-costs.ts';
import { sourceOver } from '../budgets/source.ts';
import type { Ask, Decision } from './ask.ts';
import { Borrowed, mayBorrow } from './borrowed.ts';
import { Counters } from './counters.ts';
import { ReceivedHandover } from './handover.ts';
import { LimitLeader } from './leader.ts';
import type { LeftQuestion } from './left.ts';
import type { Counted } from './limits.ts';
import { type FromLeader, partsOf, type Report, type ToLeader } from './messages.ts';
import type { OnSpending, Place } from './place.ts';
import { type RefusingLimit, refusalOf, uncheckable } from './refusal.ts';
import { Replies } from './replies.ts';
import { Running } from './running.ts';
import { Unsent } from './unsent.ts';
import type { WithoutLeader } from './without-leader.ts';

/** Time in which the leader must answer, in milliseconds. After it this process decides by its own share. */
const answerMs = 1_000;
/** Interval of the beats, in milliseconds: each tells the leader which requests of this process run. */
const beatMs = 1_000;
/** The longest time that a request with a budget waits for a leader: longer than another process needs to take over, in milliseconds. */
const budgetWaitMs = 8_000;
/** Interval in which it looks for one, in milliseconds. */
const lookMs = 50;
/** Time after a reconnect in which the leader may not hear everything, in milliseconds. */
const lostMs = 3_000;

/** The name under which a process counts its own requests. */
const own = 'own';

/** Applies limits over all processes: one of them, the leader, counts, and the others ask it. */
export class Limiter {
  readonly #clock: Clock;
  readonly #candidate: Candidate;
  readonly #withoutLeader: WithoutLeader;
  /** Called with each limit that refuses a request, or `budget`. */
  onRefused: (limit: RefusingLimit) => void = () => {};
  /** Set while this process is the leader. */
  #leader: LimitLeader | undefined;
  /** The requests of this process alone: for a new leader, and for decisions without one. */
  readonly #own = new Counters();
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
  #lastReport = 0;
  /** Number of processes, as the leader said last. */
  #processes = 1;
  /** When there was a leader last, in milliseconds of the monotonic clock. */
  #leaderAt: number;

  constructor(bus: Bus, withoutLeader: WithoutLeader) {
    this.#clock = bus.clock;
    this.#withoutLeader = withoutLeader;
    this.#decisions = new Replies(answerMs, bus.clock);
    this.#raised = new Replies(answerMs, bus.clock);
    const tell = (message: ToLeader) => this.#candidate.ask(message);
    this.#unsent = new Unsent(tell, () => this.#candidate.hasLeader, bus.clock);
    this.#borrowed = new Borrowed(loan => this.#unsent.returned(loan), bus.clock);
    this.#leaderAt = bus.clock.monotonic();
    this.#candidate = Candidate.start(bus, {
      elected: () => this.#elected(),
      deposed: () => this.#stopLeading(),
      asked: (message, from) => this.#leader?.read(message as ToLeader, from),
      questioned: async question => this.#leader?.left(question as LeftQuestion),
      answered: message => this.#answered(message as FromLeader),
    });
    this.#spending = new Questions(bus, spendingSubjects);
    this.#timer = bus.clock.setInterval(() => this.#beat(), beatMs).unref();
  }

  /** True if this process counts for all. */
  get isLeader(): boolean {
    return this.#leader !== undefined && this.#candidate.isLeader;
  }

  /**
   * Takes a place in each of the limits and reserves the costs, unless a limit is reached or a budget has not enough left. `tokens`: an
   * estimate of the tokens that the request will use.
   * @throws GatewayError of kind `overloaded` if the limits or budgets cannot be checked
   */
  async take(
    counted: readonly Counted[],
    tokens: number,
    costs?: Costs,
    onSpending?: OnSpending,
  ): Promise<Place> {
    const ask: Ask = { id: ++this.#lastId, counted, tokens, ...(costs && { costs }) };
    const decision = await (costs ? this.#decideCosts(ask) : this.#decide(ask));
    const refused = refusalOf(decision, tokens);
    if (refused) this.onRefused(decision.exceeded?.limit ?? 'budget');
    if (refused) return { decision, refusal: refused, end() {} };
    return {
      decision,
      end: this.#begin(ask, onSpending),
      ...(costs && { raise: amount => this.#raise(ask.id, amount) }),
    };
  }

  /** Counts a request that has begun already, even if a limit is reached, and returns the function that ends it. */
  count(counted: readonly Counted[]): Place['end'] {
    const ask: Ask = { id: ++this.#lastId, counted, tokens: 0 };
    if (this.isLeader && this.#leader) this.#leader.grant(ask);
    else this.#unsent.begun(ask);
    return this.#begin(ask);
  }

  /** Stops. If this process is the leader, it gives its counts to the next one. */
  async close(): Promise<void> {
    this.#clock.clearInterval(this.#timer);
    if (this.isLeader && this.#leader) {
      for (const past of partsOf(this.#leader.handOver(), 'keys'))
        this.#candidate.answerAll({ past } satisfies FromLeader);
      for (const settled of partsOf(this.#costs.all(this.#clock.monotonic()), 'requests'))
        this.#candidate.answerAll({ settled } satisfies FromLeader);
    }
    // The places of all its requests are free.
    else this.#unsent.send([]);
    this.#stopLeading();
    for (const { question, resolve } of this.#decisions.takeAll()) resolve({ id: question.ask.id });
    this.#spending.close();
    await this.#candidate.close();
  }

  #begin(ask: Ask, onSpending?: OnSpending): Place['end'] {
    const now = this.#clock.monotonic();
    this.#running.add({ ask, at: now, onSpending });
    this.#own.grant(own, ask, now);
    return (used, settlement) => this.#end(ask.id, used, settlement);
  }

  async #decide(ask: Ask): Promise<Decision> {
    if (this.isLeader && this.#leader) return this.#leader.decide(ask);
    if (!this.#candidate.hasLeader) return this.#decideAlone(ask);
    const decision = this.#decideByLoan(ask) ?? (await this.#askLeader(ask));
    if (decision) return decision;
    try {
      const alone = this.#decideAlone(ask);
      // The leader may have granted it.
      if (alone.exceeded) this.#unsent.refused(ask.id);
      return alone;
    } catch (error) {
      this.#unsent.refused(ask.id);
      throw error;
    }
  }

  /** Decides on a request with a budget, of which only a leader knows what is left. @throws GatewayError if there is none for long */
  async #decideCosts(ask: Ask): Promise<Decision> {
    const giveUp = this.#clock.monotonic() + budgetWaitMs;
    let decision: Decision | undefined;
    while (!decision && this.#clock.monotonic() < giveUp) {
      if (this.isLeader && this.#leader) decision = await this.#leader.decide(ask);
      else if (this.#candidate.hasLeader) decision = await this.#askLeader(ask);
      else await this.#clock.sleep(lookMs);
    }
    if (decision && !decision.unknown) return decision;
    if (this.#withoutLeader.policy === 'open') {
      this.#unsent.grantedAlone(ask);
      return { id: ask.id };
    }
    this.#unsent.refused(ask.id);
    throw uncheckable('budget');
  }

  /** Grants a request without asking, if the leader has lent its place. */
  #decideByLoan(ask: Ask): Decision | undefined {
    const granted = mayBorrow(ask) ? this.#borrowed.grant(ask, this.#clock.monotonic()) : undefined;
    if (granted) this.#unsent.grantedByLoan(ask, granted.loan);
    return granted?.decision;
  }

  /** Returns the leader's decision; undefined if it does not answer in time. */
  #askLeader(ask: Ask): Promise<Decision | undefined> {
    const at = this.#clock.monotonic();
    this.#unsent.ask(mayBorrow(ask) && this.#borrowed.asks(ask, at) ? { ...ask, borrow: true } : ask);
    return this.#decisions.wait(ask.id, { ask, at });
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

  /** Decides by this process's share of each limit, for as long as that is allowed. @throws GatewayError after that */
  #decideAlone(ask: Ask): Decision {
    const now = this.#clock.monotonic();
    if (now - this.#leaderAt <= this.#withoutLeader.localMs) {
      const decision = this.#own.decide(own, ask, now, 1 / this.#processes);
      if (!decision.exceeded) this.#unsent.grantedAlone(ask);
      return decision;
    }
    if (this.#withoutLeader.policy === 'open') return { id: ask.id };
    throw uncheckable('limits');
  }

  #end(id: number, used: number | undefined, settlement: Settlement | undefined): void {
    if (!this.#running.remove(id)) return;
    this.#borrowed.ended(id);
    const now = this.#clock.monotonic();
    this.#own.end(own, id, used, now);
    if (settlement) this.#costs.add([settlement], now);
    if (this.isLeader) return this.#leader?.end(id, used, settlement);
    this.#unsent.ended(id, used, settlement);
  }

  #beat(): void {
    const now = this.#clock.monotonic();
    if (this.#candidate.hasLeader) this.#leaderAt = now;
    if (this.isLeader) {
      this.#leader?.sweep();
      const spending = this.#leader?.spending ?? [];
      if (spending.length > 0) this.#running.tell(spending);
      this.#processes = this.#leader?.processes ?? 1;
      return;
    }
    this.#borrowed.sweep(now);
    // Messages may be lost with a connection.
    if (this.#candidate.reconnectedMs <= lostMs) this.#unsent.settled(this.#costs.all(now));
    this.#unsent.send(this.#running.ids);
  }

  #answered(message: FromLeader): void {
    const { decisions, raised, spending, settled, processes, report, elected, unknown, past } = message;
    if (processes !== undefined) this.#processes = processes;
    const now = this.#clock.monotonic();
    if (past && !this.isLeader) this.#handover.add(past, now);
    if (settled && !this.isLeader) this.#costs.add(settled, now);
    if (report && !this.isLeader) this.#sendReport();
    // The new leader counts what was handed over. A later one must not.
    if (elected) this.#handover.take(now);
    if (elected && !this.isLeader) for (const { ask } of this.#decisions.questions) this.#unsent.ask(ask);
    if (unknown) this.#unsent.running(this.#running.report(now, unknown));
    for (const decision of decisions ?? []) this.#decided(decision);
    for (const [id, over] of raised ?? []) this.#raised.take(id)?.resolve(over);
    if (spending) this.#running.tell(spending);
  }

  #decided({ loan, ...decision }: Decision): void {
    const waiting = this.#decisions.take(decision.id);
    if (!waiting) return;
    const { ask, at } = waiting.question;
    if (loan) this.#borrowed.take(ask, loan, decision, at);
    // A place that was lent to this process may be left.
    waiting.resolve((decision.exceeded && this.#decideByLoan(ask)) ?? decision);
  }

  #sendReport(): void {
    this.#borrowed.clear();
    this.#unsent.report(this.#report());
  }

  /** Begins to count for all, with what every process reports. */
  #elected(): void {
    this.#borrowed.clear();
    this.#unsent.clear();
    const source = sourceOver(this.#spending, this.#candidate);
    const accounts = (afterLoss: boolean) => new Accounts(source, this.#clock, afterLoss);
    const answer = (to: string, message: FromLeader) => this.#candidate.answer(to, message);
    const now = this.#clock.monotonic();
    const leader = new LimitLeader(this.#report(), this.#handover.take(now), accounts, answer, this.#clock);
    this.#leader = leader;
    this.#candidate.answerAll({ report: true, elected: true } satisfies FromLeader);
    for (const { question, resolve } of this.#decisions.takeAll()) resolve(leader.decide(question.ask));
    for (const { resolve } of this.#raised.takeAll()) resolve(null);
  }

  #stopLeading(): void {
    this.#leader?.stop();
    this.#leader = undefined;
  }

  #report(): Report {
    const now = this.#clock.monotonic();
    return {
      id: ++this.#lastReport,
      past: this.#own.past(now),
      running: this.#running.report(now),
      settled: this.#costs.all(now),
    };
  }
}
