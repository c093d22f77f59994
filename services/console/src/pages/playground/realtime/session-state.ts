import type { Problem } from '../../problem.ts';
import type { EventLog } from './event-log.ts';
import { noEvents } from './event-log.ts';
import type { ResponseUsage, SessionObject } from './server-event.ts';

/** A message of the conversation, by voice or in writing. */
export interface Message {
  type: 'message';
  id: string;
  role: 'user' | 'assistant';
  /** The text, or the transcript of the audio. */
  text: string;
  spoken: boolean;
  state: 'running' | 'done' | 'cut';
}

/** The end of a response. Times are in milliseconds since it was requested. */
export interface Ended {
  type: 'response';
  id: string;
  status: string;
  reason: string | undefined;
  usage: ResponseUsage | undefined;
  firstMs: number | undefined;
  totalMs: number;
}

/** An error event, after which a session usually goes on. */
export interface Fault {
  type: 'error';
  message: string;
  code: string | undefined;
}

export type Entry = Message | Ended | Fault;

/** A realtime session so far. */
export interface SessionState {
  phase: 'none' | 'connecting' | 'open' | 'closed';
  model: string;
  /** The reason why there is no session. */
  problem: Problem | undefined;
  /** The end of the session, in a sentence. */
  ended: string | undefined;
  /** The settings that hold, as the gateway reported them. */
  settings: SessionObject | undefined;
  /** The conversation; older entries are dropped. */
  entries: readonly Entry[];
  /** The id of the response that is being made. */
  responding: string | undefined;
  log: EventLog;
  /** When the next response was requested, or the user stopped speaking; in milliseconds since the session was requested. */
  askedMs: number;
  /** When the first text or audio of the response arrived, in milliseconds since it was requested. */
  firstMs: number | undefined;
}

export const noSession: SessionState = {
  phase: 'none',
  model: '',
  problem: undefined,
  ended: undefined,
  settings: undefined,
  entries: [],
  responding: undefined,
  log: noEvents,
  askedMs: 0,
  firstMs: undefined,
};

/** Returns the sentence for the end of a session. `last` is the last error event, if nothing came after it. */
export function endOf(code: number, reason: string, last: Fault | undefined): string {
  const why = [reason, last?.message].filter(Boolean).join(': ');
  const known = why === '' ? meanings[code] : why;
  return `Closed with code ${code}${known ? `: ${known}` : '.'}`;
}

/** The codes that browsers report without a reason. */
const meanings: Record<number, string> = {
  1000: 'the session ended.',
  1005: 'the gateway gave no reason.',
  1006: 'the connection was lost, or the gateway refused the session. Browsers do not report why; the log of the gateway does.',
};
