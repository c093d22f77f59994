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

  /** Sends a question. `read` is called with each answer until the returned function is called. @throws Error if NATS is not connected */
  begin(data: unknown, read: (answer: unknown) => void): () => void {
    if (!this.#bus.connected()) throw new Error('NATS is not connected');
    const id = ++this.#lastId;
    const question: Question = { id, from: [this.#bus.user, this.#id], data };
    this.#bus.state.publish(this.#subjects.ask, JSON.stringify(question));
    this.#waiting.set(id, read);
    return () => this.#waiting.delete(id);
  }

  /** Tells what needs no answer, if NATS is connected. */
  tell(data: unknown): void {
    if (this.#bus.connected()) this.begin(data, () => {})();
  }

  /** @throws Error if no process answers within `timeoutMs` */
  async ask(data: unknown, timeoutMs: number): Promise<unknown> {
    const answered = Promise.withResolvers<unknown>();
    const end = this.begin(data, answered.resolve);
    const { clock } = this.#bus;
    const timer = clock
      .setTimeout(() => answered.reject(new Error('no process has answered')), timeoutMs)
      .unref();
    try {
      return await answered.promise;
    } finally {
      clock.clearTimeout(timer);
      end();
    }
  }

  /** Returns the answers of all processes that answer within `timeoutMs`, at most `most`. @throws Error if NATS is not connected */
  async askAll(data: unknown, timeoutMs: number, most: number): Promise<AnswerOfOne[]> {
    const answers: AnswerOfOne[] = [];
    const { clock } = this.#bus;
    const end = this.begin(data, answer => {
      if (answers.length < most) answers.push({ data: answer, at: clock.now() });
    });
    await clock.sleep(timeoutMs, { ref: false }).finally(end);
    return answers;
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}

/** Subjects on which questions are heard. `queue` names a group of processes, of which one hears each question. */
interface HeardSubjects {
  subjects: QuestionSubjects;
  queue?: string;
}

/**
 * Hears the questions of {@link Questions} until the returned function is called. `reply` sends an answer, as JSON; a question may have
 * several.
 */
export function hearQuestions(
  bus: Bus,
  { subjects, queue = '' }: HeardSubjects,
  hear: (data: unknown, reply: (json: string | undefined) => void) => void,
): () => void {
  const read = (message: Msg) => {
    const question = readJson<Question>(message);
    if (!question) return;
    const { id, from, data } = question;
    hear(data, json => {
      const answer = json === undefined ? `{"id":${id}}` : `{"id":${id},"data":${json}}`;
      if (bus.connected()) bus.state.publish(subjects.answer(...from), answer);
    });
  };
  const subscription = subscribe(bus.state, subjects.ask, bus.faults, read, queue);
  return () => subscription.unsubscribe();
}

/** Answers each question of {@link Questions} once, until the returned function is called. */
export function answerQuestions(
  bus: Bus,
  subjects: HeardSubjects,
  answer: (data: unknown) => Promise<unknown>,
): () => void {
  return hearQuestions(bus, subjects, async (data, reply) => {
    try {
      reply(JSON.stringify(await answer(data)));
    } catch {
      // The process asks again.
    }
  });
}
