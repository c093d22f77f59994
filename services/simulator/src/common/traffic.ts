import type { ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@model-gateway/clock';
import type { Request } from 'express';
import type { Usage } from '../responder/answer.ts';
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
  /** Streams in progress. */
  streams: number;
  /** Answers whose client left or cancelled before the end. */
  cancelled: number;
  /** Open realtime sessions. */
  sessions: number;
  /** Realtime sessions that their clients ended. */
  sessionsLeft: number;
  /** Tokens of all answers that were sent completely and without a fault. */
  usage: Pick<Usage, 'input' | 'output'>;
}

/** An answer, as far as it was sent. */
export interface SentAnswer {
  requestId: string;
  model: string;
  /** Tokens of the prompt. */
  input: number;
  /** Output tokens of the whole answer. */
  output: number;
  /** Output tokens that were written. */
  sent: number;
  /** True once it was sent completely and without a fault. */
  ended: boolean;
}

/** The end of a realtime response. Its usage counts only if it is completed. */
export interface ResponseEnd {
  status: 'completed' | 'cancelled' | 'faulty';
  usage: Stats['usage'];
}

const maxRecorded = 1_000;
const maxAnswers = 100_000;
const maxRecordedCharacters = 256 * 1024 * 1024;

/** Counts requests, and records the last requests if recording is on. */
export class Traffic {
  /** The time of the answers' pace. */
  readonly clock: Clock;
  readonly recording: boolean;
  readonly recorded: Recorded[] = [];
  /** The answers to recorded requests, oldest first. */
  readonly answers: SentAnswer[] = [];
  readonly stats: Stats = {
    requests: 0,
    streams: 0,
    cancelled: 0,
    sessions: 0,
    sessionsLeft: 0,
    usage: { input: 0, output: 0 },
  };
  #characters = 0;

  constructor(recording: boolean, clock: Clock = systemClock) {
    this.recording = recording;
    this.clock = clock;
  }

  /** Counts a request, and a client that leaves early. Returns the id of the request. */
  trackRequest(response: ServerResponse): string {
    response.once('close', () => {
      if (!response.writableFinished && !wasReset(response)) this.stats.cancelled++;
    });
    return this.countRequest();
  }

  /** Counts a request and returns its id. */
  countRequest(): string {
    return `req_${(++this.stats.requests).toString(16).padStart(12, '0')}`;
  }

  /** Counts a session until the returned function is called, with true if the client ended it. */
  trackSession(): (left: boolean) => void {
    this.stats.sessions++;
    return left => {
      this.stats.sessions--;
      if (left) this.stats.sessionsLeft++;
    };
  }

  /** Counts a response of a session until the returned function is called. */
  trackResponse(): (end: ResponseEnd) => void {
    this.stats.streams++;
    return ({ status, usage }) => {
      this.stats.streams--;
      if (status === 'cancelled') this.stats.cancelled++;
      if (status === 'completed') this.#add(usage);
    };
  }

  /** Counts a stream until it ends. */
  streams(response: ServerResponse): void {
    if (response.destroyed) return;
    this.stats.streams++;
    response.once('close', () => this.stats.streams--);
  }

  /** Begins an answer, and records it if recording is on; the oldest is dropped above 100,000. */
  answer(requestId: string, model: string): SentAnswer {
    const answer = { requestId, model, input: 0, output: 0, sent: 0, ended: false };
    if (!this.recording) return answer;
    this.answers.push(answer);
    if (this.answers.length > maxAnswers) this.answers.shift();
    return answer;
  }

  /** Counts the tokens of an answer when it has been sent. */
  addUsage(response: ServerResponse, usage: Stats['usage']): void {
    response.once('finish', () => this.#add(usage));
  }

  #add({ input, output }: Stats['usage']): void {
    this.stats.usage.input += input;
    this.stats.usage.output += output;
  }

  /** Records a request, and drops the oldest above 1000 requests or 256 million characters of bodies. */
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

  /** Adds to the body of a request that is still recorded. */
  recordMore(recorded: Recorded | undefined, more: string): void {
    if (!recorded || !this.recorded.includes(recorded)) return;
    recorded.body += more;
    this.#characters += more.length;
    while (this.recorded.length > maxRecorded || this.#characters > maxRecordedCharacters)
      this.#characters -= this.recorded.shift()?.body.length ?? 0;
  }
}
