import type { Ask, Decision, PastCount } from './counters.ts';

/** A message to the leader. */
export interface ToLeader {
  asks?: Ask[];
  /** Requests that have ended, with the tokens that they used if known. */
  ends?: [id: number, used?: number][];
  /** The ids of all running requests. */
  beat?: number[];
  report?: Report;
}

/** What a process counted, for a new leader. */
export interface Report {
  past: PastCount[];
  /** The running requests and their ages, in milliseconds. */
  running: { ask: Ask; ageMs: number }[];
}

/** A message of the leader. */
export interface FromLeader {
  decisions?: Decision[];
  /** Number of the processes that the leader knows. */
  processes?: number;
  /** True if a new leader asks every process to report. */
  report?: boolean;
  /** The counts of a leader that stops. */
  past?: PastCount[];
}
