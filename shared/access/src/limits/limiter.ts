import { type Bus, Candidate } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { Borrowed } from './borrowed.ts';
import { type Ask, Counters, type Decision, type PastCount } from './counters.ts';
import { type Handover, LimitLeader } from './leader.ts';
import type { Counted } from './limits.ts';
import { type FromLeader, partsOf, type Report, type ToLeader } from './messages.ts';
import { refusal } from './refusal.ts';
import { Unsent } from './unsent.ts';

/** Time in which the leader must answer, in milliseconds. After it this process decides by its own share. */
const answerMs = 1_000;
/** Time that is added if this process stood still, since the answer may have come unread, in milliseconds. */
const unreadMs = 250;
/** Interval of the beats, in milliseconds: each tells the leader which requests of this process run. */
const beatMs = 1_000;
/** Time for which the counts of a leader that stopped are kept for its successor, in milliseconds. */
const handoverMs = 10_000;
/** The longest time between two parts of a handover, in milliseconds. */
const handoverPartsMs = 1_000;

/** The rule for requests with limits while there is no leader. */
export interface WithoutLeader {
  /** Time for which each process applies its own share of each limit, in milliseconds. */
  localMs: number;
  /** The rule after that time: requests pass, or are refused. */
  policy: 'open' | 'closed';
}

/** A request's place in its limits. */
export interface Place {
  decision: Decision;
  /** The error of a request that was refused, which holds no place. */
  refusal?: GatewayError;
  /** Ends it; no effect the second time. `used`: the tokens that the request used; the estimate stays if that is unknown. */
  end(used?: number): void;
}

interface Waiting {
  ask: Ask;
  /** When the leader was asked, in milliseconds of `performance.now`. */
  at: number;
  resolve(decision: Decision | Promise<Decision>): void;
  reject(error: unknown): void;
  timer: NodeJS.Timeout;
  /** True once it waits longer because this process stood still. */
  isLate?: boolean;
}

/** The name under which a process counts its own requests. */
const own = 'own';

/** Applies limits over all processes: one of them, the leader, counts, and the others ask it. */
export class Limiter {
  readonly #candidate: Candidate;
  readonly #withoutLeader: WithoutLeader;
  /** Set while this process is the leader. */
  #leader: LimitLeader | undefined;
  /** The requests of this process alone: for a new leader, and for decisions without one. */
  readonly #own = new Counters();
  readonly #running = new Map<number, { ask: Ask; at: number }>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #unsent = new Unsent(
    message => this.#candidate.ask(message),
    () => this.#candidate.hasLeader,
  );
  readonly #borrowed = new Borrowed(loan => this.#unsent.returned(loan));
  readonly #timer: NodeJS.Timeout;
  #lastId = 0;
  #lastReport = 0;
  /** Number of processes, as the leader said last. */
  #processes = 1;
  /** When there was a leader last, in milliseconds of `performance.now`. */
  #leaderAt = performance.now();
  #handover: Handover | undefined;

  constructor(bus: Bus, withoutLeader: WithoutLeader) {
    this.#withoutLeader = withoutLeader;
    this.#candidate = Candidate.start(bus, {
      elected: () => this.#elected(),
      deposed: () => this.#stopLeading(),
      asked: (message, from) => this.#leader?.read(message as ToLeader, from),
      answered: message => this.#answered(message as FromLeader),
    });
    this.#timer = setInterval(() => this.#beat(), beatMs).unref();
  }

  /** True if this process counts for all. */
  get isLeader(): boolean {
    return this.#leader !== undefined && this.#candidate.isLeader;
  }

  /**
   * Takes a place in each of the limits, unless one is reached. `tokens`: an estimate of the tokens that the request will use.
   * @throws GatewayError of kind `overloaded` if the limits cannot be checked
   */
  async take(counted: readonly Counted[], tokens: number): Promise<Place> {
    const ask: Ask = { id: ++this.#lastId, counted, tokens };
    const decision = await this.#decide(ask);
    if (decision.exceeded) return { decision, refusal: refusal(decision.exceeded, tokens), end() {} };
    return { decision, end: this.#begin(ask) };
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
    clearInterval(this.#timer);
    if (this.isLeader && this.#leader)
      for (const past of partsOf(this.#leader.handOver(), 'keys'))
        this.#candidate.answerAll({ past } satisfies FromLeader);
    // The places of all its requests are free.
    else this.#unsent.send([]);
    this.#stopLeading();
    for (const { ask, resolve } of this.#takeWaiting()) resolve({ id: ask.id });
    await this.#candidate.close();
  }

  #begin(ask: Ask): Place['end'] {
    const now = performance.now();
    this.#running.set(ask.id, { ask, at: now });
    this.#own.grant(own, ask, now);
    return used => this.#end(ask.id, used);
  }

  #decide(ask: Ask): Decision | Promise<Decision> {
    if (this.isLeader && this.#leader) return this.#leader.decide(ask);
    if (!this.#candidate.hasLeader) return this.#decideAlone(ask);
    // Tokens that are known only afterwards are known to the leader alone.
    return (isEstimated(ask) ? this.#decideByLoan(ask) : undefined) ?? this.#askLeader(ask);
  }

  /** Grants a request without asking, if the leader has lent its place. */
  #decideByLoan(ask: Ask): Decision | undefined {
    const granted = this.#borrowed.grant(ask, performance.now());
    if (granted) this.#unsent.grantedByLoan(ask, granted.loan);
    return granted?.decision;
  }

  #askLeader(ask: Ask): Promise<Decision> {
    const at = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<Decision>();
    const timer = setTimeout(() => this.#unanswered(ask.id), answerMs).unref();
    this.#waiting.set(ask.id, { ask, at, resolve, reject, timer });
    this.#unsent.ask(isEstimated(ask) && this.#borrowed.asks(ask, at) ? { ...ask, borrow: true } : ask);
    return promise;
  }

  /** Decides on a request alone that the leader did not answer in time. */
  #unanswered(id: number): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (performance.now() - waiting.at > answerMs + unreadMs && !waiting.isLate) {
      waiting.isLate = true;
      waiting.timer = setTimeout(() => this.#unanswered(id), unreadMs).unref();
      return;
    }
    this.#waiting.delete(id);
    try {
      const decision = this.#decideAlone(waiting.ask);
      // The leader may have granted it.
      if (decision.exceeded) this.#unsent.ended(id);
      waiting.resolve(decision);
    } catch (error) {
      this.#unsent.ended(id);
      waiting.reject(error);
    }
  }

  /** Decides by this process's share of each limit, for as long as that is allowed. @throws GatewayError after that */
  #decideAlone(ask: Ask): Decision {
    const now = performance.now();
    if (now - this.#leaderAt <= this.#withoutLeader.localMs) {
      const decision = this.#own.decide(own, ask, now, 1 / this.#processes);
      if (!decision.exceeded) this.#unsent.grantedAlone(ask);
      return decision;
    }
    if (this.#withoutLeader.policy === 'open') return { id: ask.id };
    throw new GatewayError('overloaded', 'The limits of this token cannot be checked at the moment.', {
      retryAfterMs: 5_000,
    });
  }

  #end(id: number, used: number | undefined): void {
    if (!this.#running.delete(id)) return;
    this.#borrowed.ended(id);
    this.#own.end(own, id, used, performance.now());
    if (this.isLeader) return this.#leader?.end(id, used);
    this.#unsent.ended(id, used);
  }

  #beat(): void {
    const now = performance.now();
    if (this.#candidate.hasLeader) this.#leaderAt = now;
    if (this.isLeader) {
      this.#leader?.sweep();
      this.#processes = this.#leader?.processes ?? 1;
      return;
    }
    this.#borrowed.sweep(now);
    this.#unsent.send([...this.#running.keys()]);
  }

  #answered({ decisions, processes, report, elected, unknown, past }: FromLeader): void {
    if (processes !== undefined) this.#processes = processes;
    if (past && !this.isLeader) this.#takeOver(past);
    if (report && !this.isLeader) this.#sendReport();
    if (elected && !this.isLeader) for (const { ask } of this.#waiting.values()) this.#unsent.ask(ask);
    if (unknown) this.#sendRunning(unknown);
    for (const decision of decisions ?? []) {
      const waiting = this.#waiting.get(decision.id);
      if (!waiting) continue;
      clearTimeout(waiting.timer);
      this.#waiting.delete(decision.id);
      const { loan, ...decided } = decision;
      if (loan) this.#borrowed.take(waiting.ask, loan, decided, waiting.at);
      // A place that was lent to this process may be left.
      waiting.resolve((decided.exceeded && this.#decideByLoan(waiting.ask)) ?? decided);
    }
  }

  /** Remembers the counts of a leader that stops, of which each message holds a part. */
  #takeOver(past: readonly PastCount[]): void {
    const now = performance.now();
    const before = this.#handover && now - this.#handover.at < handoverPartsMs ? this.#handover : undefined;
    this.#handover = { at: before?.at ?? now, past: [...(before?.past ?? []), ...past] };
  }

  #sendReport(): void {
    this.#borrowed.clear();
    const { id, past, running } = this.#report();
    const send = (part: Partial<Report>) =>
      this.#candidate.ask({ report: { id, past: [], running: [], ...part } } satisfies ToLeader);
    for (const part of partsOf(past, 'keys')) send({ past: part });
    for (const part of partsOf(this.#unsent.takeAlone(), 'requests')) send({ alone: part });
    for (const part of partsOf(running, 'requests')) send({ running: part });
  }

  /** Tells the leader of running requests that it does not know. */
  #sendRunning(ids: readonly number[]): void {
    const now = performance.now();
    const found = ids.flatMap(id => this.#running.get(id) ?? []);
    this.#candidate.ask({
      report: { id: 0, past: [], running: found.map(({ ask, at }) => ({ ask, ageMs: now - at })) },
    });
  }

  /** Begins to count for all, with what every process reports. */
  #elected(): void {
    const now = performance.now();
    const handover = this.#handover && now - this.#handover.at <= handoverMs ? this.#handover : undefined;
    this.#handover = undefined;
    this.#borrowed.clear();
    this.#unsent.clear();
    const leader = new LimitLeader(this.#report(), handover, (to, message) =>
      this.#candidate.answer(to, message),
    );
    this.#leader = leader;
    this.#candidate.answerAll({ report: true, elected: true } satisfies FromLeader);
    for (const { ask, resolve } of this.#takeWaiting()) resolve(leader.decide(ask));
  }

  /** Returns the requests that wait for an answer, which they will not get. */
  #takeWaiting(): Waiting[] {
    const all = [...this.#waiting.values()];
    for (const { timer } of all) clearTimeout(timer);
    this.#waiting.clear();
    return all;
  }

  #stopLeading(): void {
    this.#leader?.stop();
    this.#leader = undefined;
  }

  #report(): Report {
    const now = performance.now();
    return {
      id: ++this.#lastReport,
      past: this.#own.past(now),
      running: [...this.#running.values()].map(({ ask, at }) => ({ ask, ageMs: now - at })),
    };
  }
}

/** True if the tokens of a request are known before it begins, or do not count. */
function isEstimated({ counted, tokens }: Ask): boolean {
  return tokens > 0 || counted.every(({ tokensPerMinute }) => tokensPerMinute === undefined);
}
