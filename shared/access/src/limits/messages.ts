import type { Overspent, Settlement } from '../budgets/messages.ts';
import type { Ask, Decision } from './ask.ts';
import type { CopyPart, CopyVersion, KnownCounts, PastCount } from './known-counts.ts';
import type { Repaid } from './loan.ts';

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

/** The places of the leader's own running requests. */
export interface OwnPlaces {
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
  /** A part of the places of its own requests. */
  places?: OwnPlaces;
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
