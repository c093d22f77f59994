import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Timer } from '@model-gateway/clock';
import type { Bus } from './connection.ts';
import { hearQuestions } from './questions.ts';
import { runningSubjects } from './subjects.ts';

/** Interval of the signs of life of each process, in milliseconds. */
const hereMs = 5_000;
/** The most bytes in one message, even if the server allows more. */
const maxMessage = 256 * 1024;

/** A message of control to all processes: a question, that it follows changes for some time, or that it has begun. */
export type FleetMessage = { ask: unknown } | { followMs: number } | { present: true };

/** A part of a process's answer: some of its items, and with the last part the fields beside them. */
export interface AnswerPart {
  process: string;
  items: unknown[];
  last?: unknown;
}

/** A sign of life. `gone`: the process stops. */
export interface Here {
  process: string;
  gone?: true;
}

/** A batch of changes. `missed`: changes of this process that it did not send. */
export interface ChangeMessage {
  changes: unknown[];
  missed?: number;
}

/** The parts of a process that answer. */
export interface FleetAnswers {
  /** Returns the items of an answer, and the fields beside them. */
  answer(question: unknown): { items: readonly unknown[]; last: unknown };
  /** Called while a control follows changes, which it wants for the next `ms` milliseconds. */
  follow(ms: number): void;
}

/** A process that answers the questions of control to all of its kind. */
export class FleetMember {
  /** The process's name: its NATS user, its host and random digits. */
  readonly name: string;
  readonly #bus: Bus;
  readonly #answers: FleetAnswers;
  readonly #stopHearing: () => void;
  readonly #timer: Timer;

  constructor(bus: Bus, answers: FleetAnswers) {
    this.#bus = bus;
    this.#answers = answers;
    this.name = `${bus.user}@${hostname()}/${randomBytes(4).toString('hex')}`;
    this.#stopHearing = hearQuestions(bus, { subjects: runningSubjects }, (message, reply) =>
      this.#heard(message as FleetMessage, reply),
    );
    this.#timer = bus.clock.setInterval(() => this.#here(), hereMs).unref();
    this.#here();
  }

  /** Sends changes, in messages of a bounded size. Returns false if NATS is not connected. */
  publish(changes: readonly unknown[], missed: number): boolean {
    if (!this.#bus.connected()) return false;
    const messages = inParts(changes, this.#maxItems());
    for (const [i, part] of messages.entries())
      this.#send(runningSubjects.changes, `{"missed":${i === 0 ? missed : 0},"changes":[${part}]}`);
    return true;
  }

  close(): void {
    this.#bus.clock.clearInterval(this.#timer);
    this.#stopHearing();
    this.#here(true);
  }

  #heard(message: FleetMessage, reply: (json: string) => void): void {
    if ('ask' in message) this.#reply(message.ask, reply);
    else if ('followMs' in message) this.#answers.follow(message.followMs);
    else this.#here();
  }

  #reply(data: unknown, reply: (json: string) => void): void {
    let answer: ReturnType<FleetAnswers['answer']>;
    try {
      answer = this.#answers.answer(data);
    } catch {
      // The one who asks names this process as one that did not answer.
      return;
    }
    const { items, last } = answer;
    const parts = inParts(items, this.#maxItems());
    for (const [i, part] of parts.entries()) {
      const end = i === parts.length - 1 ? `,"last":${JSON.stringify(last)}` : '';
      reply(`{"process":${JSON.stringify(this.name)},"items":[${part}]${end}}`);
    }
  }

  #here(gone = false): void {
    const here: Here = { process: this.name, ...(gone && { gone }) };
    this.#send(runningSubjects.here, JSON.stringify(here));
  }

  #send(subject: string, text: string): void {
    if (this.#bus.connected()) this.#bus.state.publish(subject, text);
  }

  #maxItems(): number {
    const { max_payload = maxMessage } = this.#bus.state.info ?? {};
    return Math.min(maxMessage, Math.floor(max_payload / 2));
  }
}

/** Writes items as JSON, divided by commas, in parts of at most `most` bytes each; one part if there are none. */
function inParts(items: readonly unknown[], most: number): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let size = 0;
  for (const item of items) {
    const text = JSON.stringify(item);
    const bytes = Buffer.byteLength(text) + 1;
    if (size + bytes > most && part.length > 0) {
      parts.push(part.join());
      part = [];
      size = 0;
    }
    part.push(text);
    size += bytes;
  }
  return [...parts, part.join()];
}
