import { type Ask, Counters, type Decision, type PastCount } from './counters.ts';
import { Loans } from './loans.ts';
import type { FromLeader, Report, ToLeader } from './messages.ts';

/** Time that a new leader waits for the reports of the others, in milliseconds. */
export const reportMs = 300;
/** Time without a message after which the requests of a process are over, in milliseconds. */
export const silentMs = 4_000;
/** Time without a message after which a process is forgotten: longer than what it reported counts, in milliseconds. */
const goneMs = 120_000;
/** Age after which a request that a beat does not name is over, in milliseconds. */
const settledMs = 2_000;

/** The most requests that a process is asked for at once. */
const mostAsked = 500;

/** The name of the leader's own process. */
const self = 'self';

/** The counts of the leader before this one. */
export interface Handover {
  past: PastCount[];
  /** When this process received them, in milliseconds of `performance.now`. */
  at: number;
}

/** Counts for all processes, while this process is the leader. */
export class LimitLeader {
  readonly #answer: (to: string, message: FromLeader) => void;
  readonly #counters = new Counters();
  readonly #loans = new Loans(this.#counters);
  /** True if the leader before handed over what it had counted. */
  readonly #hasHandover: boolean;
  /** By process: when it last sent a message. */
  readonly #heardAt = new Map<string, number>();
  /** By process: the id of its report to this leader. Only that one's past counts. */
  readonly #reports = new Map<string, number>();
  /** By process without a report: when it was first counted here. */
  readonly #countedSince = new Map<string, number>();
  /** The asks that came before the reports of the others; undefined once those have come. */
  #early: (() => void)[] | undefined = [];
  readonly #timer: NodeJS.Timeout;

  /** `own`: the counts of this process. `answer` sends a message to a process. */
  constructor(
    own: Report,
    handover: Handover | undefined,
    answer: (to: string, message: FromLeader) => void,
  ) {
    this.#answer = answer;
    this.#hasHandover = handover !== undefined;
    const now = performance.now();
    if (handover) this.#counters.addPast(agedBy(handover.past, now - handover.at), now);
    this.#report(self, own);
    this.#timer = setTimeout(() => this.#begin(), reportMs).unref();
  }

  /** Number of processes that have sent a message lately, this one included. */
  get processes(): number {
    const now = performance.now();
    return 1 + [...this.#heardAt.values()].filter(at => now - at <= silentMs).length;
  }

  /** Returns the counts for the next leader, to which no loan is known. */
  handOver(): PastCount[] {
    const now = performance.now();
    this.#loans.lapse(now, 0);
    return this.#counters.past(now);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#begin();
  }

  /** Decides on a request of this process. */
  decide(ask: Ask): Decision | Promise<Decision> {
    if (!this.#early) return this.#counters.decide(self, ask, performance.now());
    const { promise, resolve } = Promise.withResolvers<Decision>();
    this.#early.push(() => resolve(this.#counters.decide(self, ask, performance.now())));
    return promise;
  }

  /** Counts a request of this process that nobody decided on. */
  grant(ask: Ask): void {
    this.#counters.grant(self, ask, performance.now());
  }

  /** Ends a request of this process. */
  end(id: number, used: number | undefined): void {
    this.#counters.end(self, id, used, performance.now());
  }

  /** Reads a message of another process. */
  read({ report, granted, returned, ends, beat, asks }: ToLeader, from: string): void {
    const now = performance.now();
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
    for (const [id, used] of ends ?? []) {
      this.#loans.ended(from, id, now);
      this.#counters.end(from, id, used, now);
    }
    if (beat) {
      this.#counters.keepOnly(from, new Set(beat), now - settledMs, now);
      const unknown = this.#counters.unknown(from, beat).slice(0, mostAsked);
      this.#answer(from, {
        processes: this.processes,
        ...(!this.#reports.has(from) && { report: true }),
        ...(this.#reports.has(from) && unknown.length > 0 && { unknown }),
      });
    }
    if (!asks) return;
    const decide = () => {
      const decisions = asks.map(ask => this.#decideFor(from, ask));
      this.#answer(from, { decisions });
    };
    if (this.#early) this.#early.push(decide);
    else decide();
  }

  #decideFor(from: string, ask: Ask): Decision {
    const now = performance.now();
    const decision = this.#counters.decide(from, ask, now);
    const loan =
      ask.borrow && !decision.exceeded ? this.#loans.lend(from, ask, this.processes - 1, now) : undefined;
    return loan ? { ...decision, loan } : decision;
  }

  /** Ends the requests of processes that are gone, and old loans. */
  sweep(): void {
    const now = performance.now();
    if (this.#heardAt.size > 0) this.#loans.lapse(now);
    for (const [process, at] of this.#heardAt) {
      if (now - at > silentMs) this.#counters.endAll(process, now);
      if (now - at <= goneMs) continue;
      this.#heardAt.delete(process);
      this.#reports.delete(process);
      this.#countedSince.delete(process);
    }
  }

  #report(from: string, { id, past, running, alone }: Report): void {
    const now = performance.now();
    if (!this.#reports.has(from)) this.#reports.set(from, id);
    const since = this.#countedSince.get(from);
    // This leader counted the younger ones.
    if (!this.#hasHandover && this.#reports.get(from) === id)
      this.#counters.addPast(past, now, since === undefined ? 0 : now - since);
    else for (const ask of alone ?? []) this.#counters.grant(from, ask, now);
    for (const { ask, ageMs } of running) this.#counters.resume(from, ask, now - ageMs, now);
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
