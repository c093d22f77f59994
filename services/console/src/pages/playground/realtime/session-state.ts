import type { Problem } from '../../problem.ts';
import { shortened } from '../operation/request.ts';
import type { ResponseUsage, SessionObject } from './server-event.ts';

/** An event as it went over the wire, with the time since the session was requested in milliseconds. */
export interface LoggedEvent {
  ms: number;
  way: 'sent' | 'received';
  type: string;
  /** The JSON; long base64 is shortened. */
  data: string;
  /** The number of events that this entry stands for: pieces of audio that follow each other are one entry. */
  count: number;
}

/** The last events of a session. */
export interface EventLog {
  events: readonly LoggedEvent[];
  /** The number of older entries that were dropped. */
  dropped: number;
}

const noEvents: EventLog = { events: [], dropped: 0 };

const mostEvents = 1_000;
const pieces = new Set(['input_audio_buffer.append', 'response.output_audio.delta']);

/** Adds an event and drops the oldest one over the bound. */
export function logged(
  log: EventLog,
  way: LoggedEvent['way'],
  type: string,
  text: string,
  ms: number,
): EventLog {
  const { events, dropped } = log;
  const last = events.at(-1);
  const data = shortened(text);
  if (last?.type === type && pieces.has(type)) {
    return { events: [...events.slice(0, -1), { ...last, data, count: last.count + 1 }], dropped };
  }
  const event = { ms, way, type, data, count: 1 };
  const over = events.length >= mostEvents;
  return { events: [...(over ? events.slice(1) : events), event], dropped: dropped + (over ? 1 : 0) };
}

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
