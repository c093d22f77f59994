import type { Clock, Timer } from '@model-gateway/clock';
import type { Ask, Decision, Left } from './ask.ts';
import { type Loan, loanMs, type Repaid } from './loan.ts';

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

/** Limits that the leader was asked about. */
interface Asked {
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
  readonly #asked = new Map<string, Asked>();
  /** The loans of running requests, by the request's id: each gets the place back. */
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

  #end(asked: Asked): void {
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
