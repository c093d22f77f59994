import type { Ask } from './ask.ts';
import type { Counters } from './counters.ts';
import type { Amounts, Loan, Repaid } from './loan.ts';

/** Time after which what is left of a loan counts as used, in milliseconds: its borrower is gone, or its messages were lost. */
const lapseMs = 4_000;
/** The most requests of a loan. */
const mostRequests = 64;
/** The fewest requests that are worth a loan. */
const fewestRequests = 4;
/** The part of what is left of a limit that is lent to all processes together, so that few requests are refused while another process has a loan. */
const lentPart = 1 / 16;
/** The same part of running requests, of which a process reuses each. */
const lentPlaces = 1 / 4;

interface OpenLoan extends Loan, Pick<Ask, 'counted'> {
  /** The amounts of it that were granted, as far as its borrower has told. */
  granted: Pick<Amounts, 'requests' | 'tokens'>;
  process: string;
  at: number;
  /** The running requests that have a place of it, as {@link nameOf} names them. */
  readonly users: Set<string>;
}

/** The loans of a leader. */
export class Loans {
  readonly #counters: Counters;
  readonly #open = new Map<number, OpenLoan>();
  /** The loans of running requests, by the request's name. */
  readonly #users = new Map<string, OpenLoan>();
  /** Unlike those of an earlier leader. */
  #lastId = Math.floor(Math.random() * 2 ** 48);

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Lends a part of what is left of the limits; undefined if that is too little. `processes`: the number of those that may borrow. */
  lend(process: string, { counted, tokens }: Ask, processes: number, now: number): Loan | undefined {
    const room = this.#counters.room(counted, now);
    const part = lentPart / processes;
    const byTokens = tokens > 0 ? (room.tokens * part) / tokens : Number.POSITIVE_INFINITY;
    const requests = Math.floor(Math.min(mostRequests, room.requests * part, byTokens));
    const running = Math.floor(Math.min(requests, (room.running * lentPlaces) / processes));
    if (requests < fewestRequests || running < 1) return undefined;
    const loan = { id: ++this.#lastId, requests, tokens: requests * tokens, running };
    const granted = { requests: 0, tokens: 0 };
    this.#open.set(loan.id, { ...loan, granted, process, counted, at: now, users: new Set() });
    this.#counters.lend(counted, loan, now);
    return loan;
  }

  /** Takes a request from a loan, which is then counted like any other. */
  used(process: string, { id, loan, tokens }: Ask, now: number): void {
    const open = this.#of(process, loan);
    if (!open || open.requests === 0) return;
    this.#add(open, { requests: -1, tokens: -Math.min(tokens, open.tokens), running: -1 }, now);
    open.granted.requests++;
    open.granted.tokens += tokens;
    const name = nameOf(process, id);
    open.users.add(name);
    this.#users.set(name, open);
  }

  /** Gives the place of a request that has ended back to its loan, which may grant another one. */
  ended(process: string, id: number, now: number): void {
    const name = nameOf(process, id);
    const open = this.#users.get(name);
    if (!open) return;
    this.#users.delete(name);
    open.users.delete(name);
    this.#add(open, { requests: 0, tokens: 0, running: 1 }, now);
  }

  /** Frees what is left of a loan that was given back, and counts grants of it of which the messages were lost. */
  repaid(process: string, { id, requests, tokens }: Repaid, now: number): void {
    const open = this.#of(process, id);
    if (!open) return;
    const { granted } = open;
    const lost = { requests: requests - granted.requests, tokens: tokens - granted.tokens };
    if (lost.requests > 0) this.#counters.spend(open.counted, lost, now);
    this.#close(open, now);
  }

  /** Counts what is left of old loans as used; of all of them if `age` is 0. */
  lapse(now: number, age = lapseMs): void {
    for (const open of this.#open.values()) {
      if (now - open.at < age) continue;
      this.#counters.spend(open.counted, open, now);
      this.#close(open, now);
    }
  }

  #of(process: string, id: number | undefined): OpenLoan | undefined {
    const open = id === undefined ? undefined : this.#open.get(id);
    return open?.process === process ? open : undefined;
  }

  #close(open: OpenLoan, now: number): void {
    this.#open.delete(open.id);
    for (const name of open.users) this.#users.delete(name);
    this.#add(open, { requests: -open.requests, tokens: -open.tokens, running: -open.running }, now);
  }

  #add(open: OpenLoan, amounts: Amounts, now: number): void {
    open.requests += amounts.requests;
    open.tokens += amounts.tokens;
    open.running += amounts.running;
    this.#counters.lend(open.counted, amounts, now);
  }
}

function nameOf(process: string, id: number): string {
  return `${id} ${process}`;
}
