import { ItemsById } from '@model-gateway/bus';
import type { Clock, Timer } from '@model-gateway/clock';

/** A question that waits for the leader's reply. */
export interface Waiting<Question, Reply> {
  id: number;
  question: Question;
  /** When it was asked, in milliseconds of the monotonic clock. */
  at: number;
  resolve(reply: Reply | undefined | Promise<Reply | undefined>): void;
  timer: Timer;
  /** True once it waits longer because this process stood still. */
  isLate?: boolean;
}

/** Time that is added if this process stood still, since the reply may have come unread, in milliseconds. */
const unreadMs = 250;

/** The questions that wait for the leader's reply, by id. */
export class Replies<Question, Reply> {
  readonly #waiting = new ItemsById<number, Waiting<Question, Reply>>();
  readonly #waitMs: number;
  readonly #clock: Clock;

  constructor(waitMs: number, clock: Clock) {
    this.#waitMs = waitMs;
    this.#clock = clock;
  }

  /** Returns the reply to a question; undefined if it does not come in time, or if a later question has the same id. */
  wait(id: number, question: Question, waitMs = this.#waitMs): Promise<Reply | undefined> {
    this.take(id)?.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Reply | undefined>();
    const timer = this.#clock.setTimeout(() => this.#unanswered(id), waitMs).unref();
    this.#waiting.set(id, { id, question, at: this.#clock.monotonic(), resolve, timer });
    return promise;
  }

  get questions(): Question[] {
    return this.#waiting.values().map(({ question }) => question);
  }

  /** Returns the question with an id, whose reply the caller gives; undefined if it no longer waits. */
  take(id: number): Waiting<Question, Reply> | undefined {
    const waiting = this.#waiting.get(id);
    this.#clock.clearTimeout(waiting?.timer);
    this.#waiting.delete(id);
    return waiting;
  }

  #unanswered(id: number): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (waiting.isLate || this.#clock.monotonic() - waiting.at <= this.#waitMs + unreadMs)
      return this.take(id)?.resolve(undefined);
    waiting.isLate = true;
    waiting.timer = this.#clock.setTimeout(() => this.#unanswered(id), unreadMs).unref();
  }

  /** Returns all questions that wait, whose replies the caller gives. */
  takeAll(): Waiting<Question, Reply>[] {
    return this.#waiting.values().flatMap(({ id }) => this.take(id) ?? []);
  }
}
