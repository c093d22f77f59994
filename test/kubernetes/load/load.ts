import { until } from '../../until.ts';
import { ask, keptConnections, type Target } from './ask.ts';
import type { Outcome, Received } from './outcome.ts';
import type { Question } from './questions.ts';

/** A request that was not answered as expected. */
export interface Mishap {
  outcome: Exclude<Outcome, 'clean'>;
  question: string;
  /** Seconds from the load's start to the request's start and end. */
  from: string;
  to: string;
  status: number;
  broken?: string;
  /** The end of the received bytes. */
  received: string;
}

/** The outcomes of a load's requests. */
export interface Seen {
  clean: number;
  cut: Mishap[];
  broken: Mishap[];
  failed: Mishap[];
  false: Mishap[];
  /** The milliseconds of each clean response, in the order of their ends. */
  ms: number[];
}

const shown = 300;
const answersMs = 60_000;

/** Learns the answer to each question; every later answer must equal it. */
export async function expectedOf(
  target: Target,
  questions: readonly Question[],
): Promise<ReadonlyMap<Question, string>> {
  const answers = await Promise.all(
    questions.map(async question => {
      const received = await ask(target, question, false);
      const outcome = question.judge(received);
      if (outcome !== 'clean')
        throw new Error(`${question.name} is ${outcome}: ${received.status} ${received.body}`);
      return [question, question.content(received.body)] as const;
    }),
  );
  return new Map(answers);
}

/** A steady rate of requests: each question in turn, independent of earlier responses. */
export class Load implements AsyncDisposable {
  readonly #target: Target;
  readonly #expected: ReadonlyMap<Question, string>;
  readonly #seen: Seen = { clean: 0, cut: [], broken: [], failed: [], false: [], ms: [] };
  readonly #startedAt = performance.now();
  readonly #asked = new Set<Promise<void>>();
  readonly #kept = keptConnections();
  /** The most concurrent requests. */
  most = 0;
  #turn = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(target: Target, expected: ReadonlyMap<Question, string>, perSecond: number) {
    this.#target = target;
    this.#expected = expected;
    this.#timer = setInterval(() => this.#begin(), 1_000 / perSecond);
  }

  /** Learns the answers first; then `perSecond` requests begin each second. */
  static async start(target: Target, questions: readonly Question[], perSecond: number): Promise<Load> {
    return new Load(target, await expectedOf(target, questions), perSecond);
  }

  /** Resolves once `count` more responses were clean. */
  async cleanAnswers(count: number): Promise<void> {
    const wanted = this.#seen.clean + count;
    await until(`${count} clean answers`, async () => this.#seen.clean >= wanted, answersMs);
  }

  /** Stops new requests, and waits for the running ones. */
  async end(): Promise<Seen> {
    clearInterval(this.#timer);
    await Promise.all(this.#asked);
    this.#kept.destroy();
    return this.#seen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  #begin(): void {
    const questions = [...this.#expected];
    const [question, expected] = questions[this.#turn % questions.length] as [Question, string];
    // Of each question, one client reuses its connection and the next does not.
    const keeps = Math.floor(this.#turn++ / questions.length) % 2 === 0;
    const asked = this.#ask(question, expected, keeps).finally(() => this.#asked.delete(asked));
    this.#asked.add(asked);
    this.most = Math.max(this.most, this.#asked.size);
  }

  async #ask(question: Question, expected: string, keeps: boolean): Promise<void> {
    const beganAt = performance.now();
    const received = await ask(this.#target, question, keeps ? this.#kept : false);
    const outcome = question.judge(received, expected);
    if (outcome === 'clean') {
      this.#seen.clean++;
      this.#seen.ms.push(performance.now() - beganAt);
    } else this.#seen[outcome].push(this.#mishap(outcome, question, received, beganAt));
  }

  #mishap(
    outcome: Mishap['outcome'],
    question: Question,
    { status, broken, body }: Received,
    beganAt: number,
  ): Mishap {
    const seconds = (at: number) => ((at - this.#startedAt) / 1_000).toFixed(1);
    return {
      ...{ outcome, question: question.name, from: seconds(beganAt), to: seconds(performance.now()), status },
      ...(broken && { broken }),
      received: body.toString().slice(-shown),
    };
  }
}
