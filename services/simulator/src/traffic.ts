import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Usage } from './responder/answer.ts';
import { wasReset } from './write-paced.ts';

export interface Recorded {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface Stats {
  requests: number;
  /** Streamed answers that are under way. */
  streams: number;
  /** Answers whose client left or cancelled before the end. */
  cancelled: number;
  /** Realtime sessions that are open. */
  sessions: number;
  /** Realtime sessions that their clients ended. */
  sessionsLeft: number;
  /** Tokens of all answers that were sent completely and without a fault. */
  usage: Pick<Usage, 'input' | 'output'>;
}

const maxRecorded = 1_000;
const maxRecordedCharacters = 256 * 1024 * 1024;

/** Counts requests, and records the last ones if recording is on. */
export class Traffic {
  readonly recording: boolean;
  readonly recorded: Recorded[] = [];
  #characters = 0;
  readonly #stats: Stats = {
    requests: 0,
    streams: 0,
    cancelled: 0,
    sessions: 0,
    sessionsLeft: 0,
    usage: { input: 0, output: 0 },
  };

  constructor(recording: boolean) {
    this.recording = recording;
  }

  get stats(): Readonly<Stats> {
    return this.#stats;
  }

  get last(): Recorded | undefined {
    return this.recorded.at(-1);
  }

  /** Counts a request, and later its client if that leaves early. Returns its id. */
  trackRequest(response: ServerResponse): string {
    const id = this.countRequest();
    response.once('close', () => {
      if (!response.writableFinished && !wasReset(response)) this.#stats.cancelled++;
    });
    return id;
  }

  /** Counts a request and returns its id. */
  countRequest(): string {
    return `req_${(++this.#stats.requests).toString(16).padStart(12, '0')}`;
  }

  /** Counts a session until the returned function is called, which is told if the client ended it. */
  trackSession(): (left: boolean) => void {
    this.#stats.sessions++;
    return left => {
      this.#stats.sessions--;
      if (left) this.#stats.sessionsLeft++;
    };
  }

  /** Counts a response of a session until the returned function is called. */
  trackResponse(): (how: 'completed' | 'cancelled' | 'faulty', usage: Stats['usage']) => void {
    this.#stats.streams++;
    return (how, { input, output }) => {
      this.#stats.streams--;
      if (how === 'cancelled') this.#stats.cancelled++;
      if (how !== 'completed') return;
      this.#stats.usage.input += input;
      this.#stats.usage.output += output;
    };
  }

  /** Counts a streamed answer until it has ended. */
  streams(response: ServerResponse): void {
    if (response.destroyed) return;
    this.#stats.streams++;
    response.once('close', () => this.#stats.streams--);
  }

  /** Counts the tokens of an answer after it was sent. */
  addUsage(response: ServerResponse, { input, output }: Stats['usage']): void {
    response.once('finish', () => {
      this.#stats.usage.input += input;
      this.#stats.usage.output += output;
    });
  }

  /** Keeps a request, and drops the oldest ones above 1000 requests or 256 million characters of bodies. */
  record(
    { method, originalUrl: path, headers }: Pick<Request, 'method' | 'originalUrl' | 'headers'>,
    body: string,
  ): Recorded | undefined {
    if (!this.recording) return undefined;
    const recorded = { method, path, headers, body: '' };
    this.recorded.push(recorded);
    this.recordMore(recorded, body);
    return recorded;
  }

  /** Adds to the body of a request that was kept, if it still is. */
  recordMore(recorded: Recorded | undefined, more: string): void {
    if (!recorded || !this.recorded.includes(recorded)) return;
    recorded.body += more;
    this.#characters += more.length;
    while (this.recorded.length > maxRecorded || this.#characters > maxRecordedCharacters)
      this.#characters -= this.recorded.shift()?.body.length ?? 0;
  }
}
