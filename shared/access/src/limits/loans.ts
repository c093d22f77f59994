import type { Clock, Timer } from '@model-gateway/clock';
import type { Counters } from './counters.ts';
import {
  type Amounts,
  type Ask,
  type Decision,
  type Left,
  type Loan,
  loanMs,
  type Repaid,
} from './messages.ts';

/** Time after which what is left of a loan counts as used, in milliseconds: its borrower is gone, or its messages were lost. */
const lapseMs = 4_000;
/** The most requests of a loan. */
const mostRequests = 64;
/** The fewest requests that are worth a loan. */
const fewestRequests = 4;
/** The part of what is left of a limit that is lent to all processes together, so that few requests are refused while another process has a loan. */
const lentPart = 1 / 16;
/** The same part of running requests, of which a process reuses each. */
const lentSlots = 1 / 4;

interface OpenLoan extends Loan, Pick<Ask, 'counted'> {
  /** The amounts of it that were granted, as far as its borrower has told. */
  granted: Pick<Amounts, 'requests' | 'tokens'>;
  process: string;
  at: number;
  /** The running requests that have a slot of it, as {@link nameOf} names them. */
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
    const running = Math.floor(Math.min(requests, (room.running * lentSlots) / processes));
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

  /** Gives the slot of a request that has ended back to its loan, which may grant another one. */
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

/** The longest time between two questions about the same limits after which the second one asks for a loan, in milliseconds. */
const oftenMs = 50;

/** A loan that this process may use. */
interface HeldLoan extends Loan {
  granted: Repaid;
  /** End of its use, in milliseconds of the monotonic clock. */
  until: number;
  /** The leader's decision that came with it, less what was granted since. */
  decision: Decision;
  timer: Timer;
}

/** The state of limits that the leader was asked about. */
interface LimitState {
  /** When it was asked last, in milliseconds of the monotonic clock. */
  at: number;
  /** When it was asked for a loan that has not come. */
  borrowingSince: number | undefined;
  loan: HeldLoan | undefined;
}

/** The loans of the leader to this process, by which it grants requests of tokens that are used often. */
export class Borrowed {
  readonly #giveBack: (loan: Repaid) => void;
  readonly #clock: Clock;
  /** By the limits. */
  readonly #asked = new Map<string, LimitState>();
  /** The loans of running requests, by the request's id: each gets the slot back. */
  readonly #running = new Map<number, HeldLoan>();

  /** `giveBack` is called with each loan that is not used any more. */
  constructor(giveBack: (loan: Repaid) => void, clock: Clock) {
    this.#giveBack = giveBack;
    this.#clock = clock;
  }

  /** Grants a request by a loan; undefined if there is none with room for it. */
  grant({ id, counted, tokens }: Ask, now: number): { decision: Decision; loan: number } | undefined {
    const loan = this.#asked.get(keyOf(counted))?.loan;
    if (!loan || now >= loan.until || loan.requests < 1 || loan.running < 1 || loan.tokens < tokens)
      return undefined;
    loan.requests--;
    loan.running--;
    loan.tokens -= tokens;
    loan.granted.requests++;
    loan.granted.tokens += tokens;
    this.#running.set(id, loan);
    loan.decision = less(loan.decision, id, tokens);
    return { decision: loan.decision, loan: loan.id };
  }

  /** Ends a request; no effect unless it was granted by a loan. */
  ended(id: number): void {
    const loan = this.#running.get(id);
    if (!loan) return;
    loan.running++;
    this.#running.delete(id);
  }

  /** Records a question to the leader. Returns true if it should ask for a loan. */
  asks({ counted }: Ask, now: number): boolean {
    const key = keyOf(counted);
    const asked = this.#asked.get(key);
    if (!asked) {
      this.#asked.set(key, { at: now, borrowingSince: undefined, loan: undefined });
      return false;
    }
    const { at, borrowingSince } = asked;
    const borrows = now - at < oftenMs && (borrowingSince === undefined || now - borrowingSince > loanMs);
    asked.at = now;
    if (borrows) asked.borrowingSince = now;
    return borrows;
  }

  /** Takes the loan that came with a decision on a question of `askedAt`, in place of an earlier one. */
  take({ counted }: Ask, loan: Loan, decision: Decision, askedAt: number): void {
    const asked = this.#asked.get(keyOf(counted));
    const until = askedAt + loanMs;
    const ms = until - this.#clock.monotonic();
    const granted = { id: loan.id, requests: 0, tokens: 0 };
    if (!asked || ms <= 0) return this.#giveBack(granted);
    this.#end(asked);
    asked.borrowingSince = undefined;
    const timer = this.#clock.setTimeout(() => this.#end(asked), ms).unref();
    asked.loan = { ...loan, granted, until, decision, timer };
  }

  /** Forgets limits that were not asked about lately. */
  sweep(now: number): void {
    for (const [key, { at, loan }] of this.#asked) if (!loan && now - at > loanMs) this.#asked.delete(key);
  }

  /** Gives all loans back, since another process may count from now on. */
  clear(): void {
    for (const asked of this.#asked.values()) this.#end(asked);
    this.#asked.clear();
  }

  #end(asked: LimitState): void {
    const { loan } = asked;
    if (!loan) return;
    this.#clock.clearTimeout(loan.timer);
    asked.loan = undefined;
    this.#giveBack(loan.granted);
  }
}

/** True if a request may be granted by a loan. The leader alone knows what is left of budgets, and tokens that are known only afterwards. */
export function mayBorrow({ counted, tokens, costs }: Ask): boolean {
  return !costs && (tokens > 0 || counted.every(({ tokensPerMinute }) => tokensPerMinute === undefined));
}

/** Returns the decision on the next request after one. */
function less({ requests, tokens: ofTokens }: Decision, id: number, tokens: number): Decision {
  const by = (left: Left, amount: number) => ({ ...left, remaining: Math.max(0, left.remaining - amount) });
  return {
    id,
    ...(requests && { requests: by(requests, 1) }),
    ...(ofTokens && { tokens: by(ofTokens, tokens) }),
  };
}

function keyOf(counted: Ask['counted']): string {
  return JSON.stringify(counted);
}
