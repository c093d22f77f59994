import { shortened } from '../operation/request.ts';

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

export const noEvents: EventLog = { events: [], dropped: 0 };

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
