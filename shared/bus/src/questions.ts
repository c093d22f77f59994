import { randomUUID } from 'node:crypto';
import type { Msg, Subscription } from 'nats';
import type { Bus } from './connection.ts';
import { readJson, subscribe } from './faults.ts';
import type { QuestionSubjects } from './subjects.ts';

interface Question {
  id: number;
  /** The NATS user and the id of the process that asks. */
  from: [user: string, process: string];
  data: unknown;
}

interface Answer {
  id: number;
  data: unknown;
}

/** The answer of one process to a question to all, with its arrival in milliseconds since 1970. */
export interface AnswerOfOne {
  data: unknown;
  at: number;
}

/** Asks other processes questions, of which one answers each, or all do. */
export class Questions {
  readonly #bus: Bus;
  readonly #subjects: QuestionSubjects;
  readonly #id = randomUUID();
  readonly #subscription: Subscription;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #lastId = 0;

  constructor(bus: Bus, subjects: QuestionSubjects) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#subscription = subscribe(bus.state, subjects.answer(bus.user, this.#id), bus.faults, message => {
      const answer = readJson<Answer>(message);
      if (answer) this.#waiting.get(answer.id)?.(answer.data);
    });
  }

  /** @throws Error if no process answers within `timeoutMs` */
  async ask(data: unknown, timeoutMs: number): Promise<unknown> {
    if (!this.#bus.connected()) throw new Error('NATS is not connected');
    const id = ++this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answered.resolve);
    const { clock } = this.#bus;
    const timer = clock
      .setTimeout(() => answered.reject(new Error('no process has answered')), timeoutMs)
      .unref();
    try {
      this.#send(id, data);
      return await answered.promise;
    } finally {
      clock.clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Returns the answers of all processes that answer within `timeoutMs`, at most `most`. @throws Error if NATS is not connected */
  async askAll(data: unknown, timeoutMs: number, most: number): Promise<AnswerOfOne[]> {
    if (!this.#bus.connected()) throw new Error('NATS is not connected');
    const id = ++this.#lastId;
    const answers: AnswerOfOne[] = [];
    this.#waiting.set(id, answer => {
      if (answers.length < most) answers.push({ data: answer, at: this.#bus.clock.now() });
    });
    try {
      this.#send(id, data);
      await this.#bus.clock.sleep(timeoutMs, { ref: false });
      return answers;
    } finally {
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#subscription.unsubscribe();
  }

  #send(id: number, data: unknown): void {
    const question: Question = { id, from: [this.#bus.user, this.#id], data };
    this.#bus.state.publish(this.#subjects.ask, JSON.stringify(question));
  }
}

/**
 * Answers the questions of {@link Questions} until the returned function is called. `queue` names a group of processes, of which one
 * answers each question.
 */
export function answerQuestions(
  bus: Bus,
  { subjects, queue = '' }: { subjects: QuestionSubjects; queue?: string },
  answer: (data: unknown) => Promise<unknown>,
): () => void {
  const reply = async ({ id, from: [user, process], data }: Question) => {
    const text = JSON.stringify({ id, data: await answer(data) } satisfies Answer);
    if (bus.connected()) bus.state.publish(subjects.answer(user, process), text);
  };
  const read = (message: Msg) => {
    const question = readJson<Question>(message);
    // The process asks again.
    if (question) reply(question).catch(() => {});
  };
  const subscription = subscribe(bus.state, subjects.ask, bus.faults, read, queue);
  return () => subscription.unsubscribe();
}
