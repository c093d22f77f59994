import type { Subscription } from 'nats';
import type { Bus } from './connection.ts';
import { readJson, subscribe } from './faults.ts';
import type { AnswerPart, ChangeMessage, FleetMessage, Here } from './fleet-member.ts';
import { lostMs } from './liveness.ts';
import { Questions } from './questions.ts';
import { runningSubjects } from './subjects.ts';

/** The longest wait for the answers of all processes, and for that of the one that has the item, in milliseconds. */
const answerMs = { all: 1_500, one: 5_000 };
/** Time after the start in which processes may not be known yet, in milliseconds. */
const settleMs = 1_000;

/** The answers of all processes to one question. */
export interface FleetAnswer<Item, Last> {
  items: Item[];
  /** The fields beside the items, of each process. */
  lasts: Last[];
  /** The processes that are known and did not answer in time. */
  unanswered: string[];
}

/** A question whose answers are collected. */
interface Waiting {
  /** The processes that are waited for; undefined until they are known. */
  expected: Set<string> | undefined;
  answered: Set<string>;
  items: unknown[];
  lasts: unknown[];
  /** Resolves the question if no answer is missing. */
  check(): void;
}

/** Asks all processes that answer requests, and collects their answers for a bounded time. */
export class FleetAsker {
  readonly #bus: Bus;
  readonly #openedAt: number;
  readonly #questions: Questions;
  readonly #signs: Subscription;
  /** By the process's name: the time of its last sign of life, in milliseconds since 1970. */
  readonly #known = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #changes: Subscription | undefined;
  /** Called when a process that was not known shows itself. */
  onNew: () => void = () => {};

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#openedAt = bus.clock.now();
    this.#questions = new Questions(bus, runningSubjects);
    this.#signs = this.#listen<Here>(runningSubjects.here, here => this.#here(here));
    this.#tell({ present: true });
  }

  /**
   * Asks all processes. Resolves once all that are known have answered, at the latest after 1.5 s; `one`: once one has an item, at the
   * latest after 5 s.
   * @throws Error if NATS is not connected
   */
  async ask<Item, Last>(data: unknown, { one = false } = {}): Promise<FleetAnswer<Item, Last>> {
    const settled = this.#bus.clock.now() - this.#openedAt >= settleMs;
    const answered = new Set<string>();
    const all = Promise.withResolvers<void>();
    const waiting: Waiting = {
      ...{ items: [], lasts: [], answered, expected: undefined },
      check() {
        const { expected, items } = waiting;
        const isComplete = settled && expected?.isSubsetOf(answered);
        if (isComplete || (one && items.length > 0)) all.resolve();
      },
    };
    const question: FleetMessage = { ask: data };
    const end = this.#questions.begin(question, part => takePart(waiting, part as AnswerPart));
    this.#waiting.add(waiting);
    const timer = this.#bus.clock.setTimeout(all.resolve, one ? answerMs.one : answerMs.all);
    try {
      void this.#expect(waiting);
      await all.promise;
    } finally {
      this.#bus.clock.clearTimeout(timer);
      end();
      this.#waiting.delete(waiting);
    }
    const { items, lasts, expected = this.#members() } = waiting;
    const unanswered = [...expected.difference(answered)].sort();
    return { items: items as Item[], lasts: lasts as Last[], unanswered };
  }

  /** Asks for changes for some time. */
  follow(ms: number): void {
    this.#tell({ followMs: ms });
  }

  /** Receives changes while `read` is set. */
  listen(read: ((message: ChangeMessage) => void) | undefined): void {
    this.#changes?.unsubscribe();
    this.#changes = read && this.#listen<ChangeMessage>(runningSubjects.changes, read);
  }

  /** Resolves once the server has what was sent and subscribed to before. */
  async flushed(): Promise<void> {
    await this.#bus.state.flush().catch(() => {});
  }

  close(): void {
    this.#questions.close();
    this.#signs.unsubscribe();
    this.listen(undefined);
  }

  #tell(message: FleetMessage): void {
    this.#questions.tell(message);
  }

  #listen<Shape>(subject: string, read: (message: Shape) => void): Subscription {
    return subscribe(this.#bus.state, subject, this.#bus.faults, message => {
      const shape = readJson<Shape>(message);
      if (shape) read(shape);
    });
  }

  /** Expects an answer of the processes that have shown themselves to the server by now. */
  async #expect(waiting: Waiting): Promise<void> {
    await this.flushed();
    waiting.expected = this.#members();
    waiting.check();
  }

  /** Returns the processes that are known, without those that were silent for too long. */
  #members(): Set<string> {
    const oldest = this.#bus.clock.now() - lostMs;
    for (const [name, at] of this.#known) if (at < oldest) this.#known.delete(name);
    return new Set(this.#known.keys());
  }

  #here({ process, gone }: Here): void {
    const isNew = !this.#known.has(process);
    if (!gone) this.#known.set(process, this.#bus.clock.now());
    else this.#known.delete(process);
    if (isNew && !gone) this.onNew();
    if (!gone) return;
    for (const waiting of this.#waiting) {
      waiting.expected?.delete(process);
      waiting.check();
    }
  }
}

function takePart(waiting: Waiting, { process, items, last }: AnswerPart): void {
  for (const item of items) waiting.items.push(item);
  if (last === undefined) return;
  waiting.lasts.push(last);
  waiting.answered.add(process);
  waiting.check();
}
