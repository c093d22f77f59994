import type { Charged, Costs, Overspent, Settlement } from '../budgets/budget.ts';
import type { Counted } from './limits.ts';

/**
 * Time in which a loan may be used, in milliseconds, from the question of its borrower on: the difference of `takeOverMs` and `leaseMs`, so that
 * no loan of an earlier leader can be used once there is another.
 */
export const loanMs = 500;

/** Amounts of limits. */
export interface Amounts {
  requests: number;
  tokens: number;
  running: number;
}

/** A loan that is not used any more, with what was granted of it: the messages that told of each grant may have been lost. */
export interface Repaid extends Pick<Amounts, 'requests' | 'tokens'> {
  id: number;
}

/** Amounts that a process may grant by itself for {@link loanMs}. They count as used until it gives them back. */
export interface Loan extends Amounts {
  id: number;
}

/** A request that asks for its slot in the limits. */
export interface Ask {
  /** Unique among the requests of its process. */
  id: number;
  counted: readonly Counted[];
  /** An estimate of the tokens that it will use. */
  tokens: number;
  /** True if its process asks for a loan, since it asks often. */
  borrow?: true;
  /** The id of the loan by which its process granted it. */
  loan?: number;
  /** The amounts that it may spend; absent without a budget. */
  costs?: Costs;
}

/** A limit that a request would have exceeded. */
export interface Exceeded {
  key: string;
  limit: 'requestsPerMinute' | 'tokensPerMinute' | 'concurrency';
  /** The value of the limit. */
  value: number;
  /** Time until the request would fit, in milliseconds; absent if that is unknown, or if it never will. */
  waitMs?: number;
}

/** The state of the limit that is nearest, for response headers. */
export interface Left {
  limit: number;
  remaining: number;
  /** Time until the limit is whole again if no other request comes, in milliseconds. */
  resetMs: number;
}

/** The answer to an {@link Ask}. */
export interface Decision {
  id: number;
  exceeded?: Exceeded;
  /** A budget in which the reserved cost does not fit. */
  overspent?: Overspent;
  /** True if it cannot be known what is left of its budgets. */
  unknown?: true;
  /** The amount that is reserved of its budgets if that is less than it asked for, in US dollars. */
  reserved?: number;
  requests?: Left;
  tokens?: Left;
  loan?: Loan;
}

/** Returns a granted request with the amount that was reserved for it. */
export function withReserved(ask: Ask, { reserved }: Decision): Ask {
  if (reserved === undefined || !ask.costs) return ask;
  return { ...ask, costs: { ...ask.costs, amount: reserved } };
}

/** A question to the leader about limits and budgets, without a request. */
export interface LeftQuestion {
  counted: readonly Counted[];
  budgets: readonly Charged[];
}

/** The state of one counted set of limits. An absent one does not apply. */
export interface LeftOf {
  requests?: Left;
  tokens?: Left;
  /** The running requests. */
  running?: number;
}

/** The answer to a {@link LeftQuestion}, in its order. */
export interface LeftAnswer {
  limits: LeftOf[];
  /** In US dollars; null if it cannot be known what was spent. */
  budgets: { spent: number; reserved: number }[] | null;
}

/** The amounts in the windows of a key: pairs of an amount and its age in milliseconds. */
export interface PastCount {
  key: string;
  requests: [amount: number, ageMs: number][];
  tokens: [amount: number, ageMs: number][];
}

/** The counts of one key in a copy. They replace all that the copy held of it from a slot on. */
export interface CopiedCount {
  key: string;
  /** The amounts that count as used beside the slots: they are lent, or may have been granted since. */
  spare: [requests: number, tokens: number];
  from: number;
  /** Slots of the leader's clock. Those that are absent hold nothing. */
  slots: [slot: number, requests: number, tokens: number][];
}

/** A message by which a leader keeps the copies of its counts. */
export interface CopyPart {
  /** The leader's term. A later one is greater. */
  term: number;
  /** The number of the last message with counts. A copy that has not read the one before is incomplete. */
  number: number;
  /** The leader's time, in milliseconds of its monotonic clock. */
  at: number;
  /** In a message of a whole copy: the number of those that follow. `first`: none comes before it. */
  left?: number;
  first?: true;
  counts: CopiedCount[];
}

/** The age of counts: those of a greater term, or of the same term with a greater number, know more. */
export interface CopyVersion {
  term: number;
  number: number;
}

/** The number of a leader's own counts: no copy of them knows more. */
export const wholeNumber = Number.MAX_SAFE_INTEGER;

/** Counts of the past, and their version. */
export interface KnownCounts extends CopyVersion {
  past: PastCount[];
}

export function isNewer(one: CopyVersion, other: CopyVersion): boolean {
  return one.term === other.term ? one.number > other.number : one.term > other.term;
}

/** A message to the leader. Its parts are read in this order. */
export interface ToLeader {
  report?: Report;
  /** Requests that began without a decision of the leader: there was none, or this process used a loan. */
  granted?: Ask[];
  /** Loans that this process does not use any more. */
  repaid?: Repaid[];
  /** The real costs of requests that have ended. */
  settled?: Settlement[];
  /** Those of the ended requests that count from now on: NATS was away while they ran, so that they were served late. */
  late?: number[];
  ends?: End[];
  /** The ids of all running requests. */
  beat?: number[];
  /** The amounts that running requests may spend now, in US dollars. */
  raises?: [id: number, amount: number][];
  asks?: Ask[];
  /** True if the process's copy of the counts is not whole. */
  needsCopy?: true;
}

/** A request that has ended, with the tokens that it used if known. `unserved`: it was refused elsewhere, so it counts for nothing. */
export type End = [id: number, used?: number, unserved?: true];

/** A part of what a process knows, for a new leader. */
export interface Report {
  /** Requests that were granted while there was no leader. */
  granted?: Ask[];
  /** Running requests and their ages, in milliseconds; those too that ended while there was no leader. */
  running: { ask: Ask; ageMs: number }[];
  /** Counts of a leader before, if they know more than the new leader's. `left`: the number of parts that follow. */
  known?: KnownCounts & { left: number };
  /** The real costs of requests that ended lately. */
  settled?: Settlement[];
}

/** The spending of a budget in the period that began at `from`. */
export interface Spending extends Pick<Overspent, 'key' | 'from' | 'spent'> {}

/** The slots of the leader's own running requests. */
export interface OwnSlots {
  /** The leader's process, as it names itself in messages. */
  from: string;
  /** Number of running requests by limit. */
  running: [key: string, count: number][];
  /** Set in the first of several messages. */
  first?: true;
}

/** A message of the leader. */
export interface FromLeader {
  decisions?: Decision[];
  /** The answers to raises: the budget of which nothing is left, or null. */
  raised?: [id: number, over: Overspent | null][];
  /** The spending of those budgets that end the process's streams. */
  spending?: Spending[];
  /** True if the leader asks for a report. */
  report?: boolean;
  /** True if the leader has just become one, and knows of no question. */
  elected?: boolean;
  /** The version of the counts from which a leader that was just elected will go on. */
  knows?: CopyVersion;
  /** A part of the copy of its counts. */
  copy?: CopyPart;
  /** A part of the slots of its own requests. */
  slots?: OwnSlots;
  /** The ids of running requests that the leader does not know, and asks for. */
  unknown?: number[];
  /** The costs of requests that ended lately at a leader that stops. */
  settled?: Settlement[];
  /** A part of the counts of a leader that stops. */
  past?: PastCount[];
}

/** The most keys, and the most requests, in a message: together far less than the 1 MB that NATS takes by default. */
const most = { keys: 50, requests: 500 };
/** The most ids in a beat. */
export const mostIds = 50_000;

/** Splits counts into parts of a message each; one empty part if there are none. */
export function partsOf<Part>(all: readonly Part[], kind: keyof typeof most): Part[][] {
  const parts: Part[][] = [];
  for (let at = 0; at < all.length; at += most[kind]) parts.push(all.slice(at, at + most[kind]));
  return parts.length > 0 ? parts : [[]];
}
