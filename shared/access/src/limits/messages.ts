import type { Overspent, Settlement } from '../budgets/messages.ts';
import type { Ask, Decision } from './ask.ts';
import type { PastCount } from './counters.ts';

/** A message to the leader. Its parts are read in this order. */
export interface ToLeader {
  report?: Report;
  /** Requests that began without a decision of the leader: it did not answer or was not asked, or this process used a loan. */
  granted?: Ask[];
  /** The ids of loans that this process does not use any more. */
  returned?: number[];
  /** The real costs of requests that have ended. */
  settled?: Settlement[];
  /** Requests that have ended, with the tokens that they used if known. `refused`: the asking process refused it, so it counts for nothing. */
  ends?: [id: number, used?: number, refused?: true][];
  /** The ids of all running requests. */
  beat?: number[];
  /** The amounts that running requests may spend now, in US dollars. */
  raises?: [id: number, amount: number][];
  asks?: Ask[];
}

/** A part of what a process counted, for a new leader. All parts of a report have its id. */
export interface Report {
  id: number;
  past: PastCount[];
  /** Running requests and their ages, in milliseconds. */
  running: { ask: Ask; ageMs: number }[];
  /** Requests that were granted without a leader, for a new leader that has the counts of the one before. `past` holds them too. */
  alone?: Ask[];
  /** The real costs of requests that ended lately. */
  settled?: Settlement[];
}

/** The spending of a budget in the period that began at `from`. */
export interface Spending extends Pick<Overspent, 'key' | 'from' | 'spent'> {}

/** A message of the leader. */
export interface FromLeader {
  decisions?: Decision[];
  /** The answers to raises: the budget of which nothing is left, or null. */
  raised?: [id: number, over: Overspent | null][];
  /** The spending of those budgets that end the process's streams. */
  spending?: Spending[];
  /** Number of the processes that the leader knows. */
  processes?: number;
  /** True if the leader asks for a report. */
  report?: boolean;
  /** True if the leader has just become one, and knows of no question. */
  elected?: boolean;
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
