import { randomUUID } from 'node:crypto';
import type { Msg, Subscription } from 'nats';
import type { Bus } from './connection.ts';
import { controlQueue, spendingSubjects } from './subjects.ts';

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

/** Asks the controls what was spent. */
export class SpendingClient {
  readonly #bus: Bus;
  readonly #id = randomUUID();
  readonly #subscription: Subscription;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#subscription = bus.state.subscribe(spendingSubjects.answer(bus.user, this.#id), {
      callback: (error, message) => {
        const answer = error ? undefined : readJson<Answer>(message);
        if (answer) this.#waiting.get(answer.id)?.resolve(answer.data);
      },
    });
  }

  /** Asks one control. @throws Error if none answers within `timeoutMs` */
  async ask(data: unknown, timeoutMs: number): Promise<unknown> {
    if (!this.#bus.connected()) throw new Error('NATS is not connected');
    const id = ++this.#lastId;
    const answered = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answered);
    const timer = setTimeout(() => answered.reject(new Error('no control has answered')), timeoutMs).unref();
    try {
      const question: Question = { id, from: [this.#bus.user, this.#id], data };
      this.#bus.state.publish(spendingSubjects.ask, JSON.stringify(question));
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  close(): void {
    this.#subscription.unsubscribe();
  }
}

/** Answers the questions of {@link SpendingClient}, each at one control, until the returned function is called. */
export function answerSpending(bus: Bus, answer: (data: unknown) => Promise<unknown>): () => void {
  const reply = async ({ id, from: [user, process], data }: Question) => {
    const text = JSON.stringify({ id, data: await answer(data) } satisfies Answer);
    if (bus.connected()) bus.state.publish(spendingSubjects.answer(user, process), text);
  };
  const subscription = bus.state.subscribe(spendingSubjects.ask, {
    queue: controlQueue,
    callback(error, message) {
      const question = error ? undefined : readJson<Question>(message);
      // The process asks again.
      if (question) reply(question).catch(() => {});
    },
  });
  return () => subscription.unsubscribe();
}

/** Reads a message; undefined if it is no JSON, as one of another version may be. */
function readJson<Shape>(message: Msg): Shape | undefined {
  try {
    return message.json<Shape>();
  } catch {
    return undefined;
  }
}
