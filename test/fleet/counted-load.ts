import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';
import { ask, type Question } from './clients.ts';
import type { FleetProcess } from './fleet.ts';
import { everyQuestion } from './questions.ts';

const clients = 4;
/** The pause of a client after a request that failed, in milliseconds. */
const failedMs = 200;
/** An answer of 0.4 s. */
const model = 'sim-t40-i10ms';
/** A stream that its client leaves after a second or two. */
const longModel = 'sim-t3000-i5ms';
/** The answer is short, and lengthened with tokens of which an estimate by characters is right on average. */
const content = 'Be brief.';
/** The bytes of a stream after which its client leaves: those of some 300 chunks. */
const leavingBytes = 80_000;

interface LoadOptions {
  token: string;
  /** The ingress processes, of which each client takes one after another among those that run. */
  fronts: readonly FleetProcess[];
}

/** The status of each request; 0 if the connection broke. */
export interface Statuses {
  /** Answers that came to their end. */
  whole: number[];
  /** Streams that their clients left. */
  left: number[];
}

/**
 * A light load in every format, whole and streamed, of clients of which some leave in the middle. Each request has a model name of its own, by
 * which the simulator and the ledger name its attempts.
 */
export class CountedLoad {
  static #requests = 0;
  readonly #options: LoadOptions;
  readonly #statuses: Statuses = { whole: [], left: [] };
  readonly #clients: Promise<unknown>;
  #stopped = false;

  private constructor(options: LoadOptions) {
    this.#options = options;
    this.#clients = Promise.all(Array.from({ length: clients }, (_, i) => this.#client(i)));
  }

  /** Puts the load on for as long as `during` takes, and waits until every request is answered. */
  static async during(
    options: LoadOptions,
    during: (load: CountedLoad) => Promise<unknown>,
  ): Promise<Statuses> {
    const load = new CountedLoad(options);
    try {
      await during(load);
    } finally {
      load.#stopped = true;
      await load.#clients;
    }
    return load.#statuses;
  }

  /** Waits until this many more requests have ended, whatever their status. */
  async ended(count: number): Promise<void> {
    const seen = () => this.#statuses.whole.length + this.#statuses.left.length;
    const wanted = seen() + count;
    await until(`${count} requests of the load end`, () => seen() >= wanted);
  }

  async #client(first: number): Promise<void> {
    const questions = everyQuestion(model);
    for (let turn = first; !this.#stopped; turn++) {
      const leaves = turn % 9 === 8;
      const question = questions[turn % questions.length] as Question;
      const status = await this.#ask(turn, leaves ? { ...question, stream: true } : question, leaves);
      this.#statuses[leaves ? 'left' : 'whole'].push(status);
      if (status !== 200) await sleep(failedMs);
    }
  }

  async #ask(turn: number, question: Question, leaves: boolean): Promise<number> {
    const { token, fronts } = this.#options;
    const running = fronts.filter(each => each.running);
    const { url } = running[turn % running.length] as FleetProcess;
    const name = `${leaves ? question.model.replace(model, longModel) : question.model}-k${++CountedLoad.#requests}`;
    const leaving = new AbortController();
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(60_000)]);
    try {
      const response = await ask(url, token, { ...question, content, model: name, signal });
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.length;
        if (leaves && bytes > leavingBytes) break;
      }
      leaving.abort();
      return response.status;
    } catch {
      return 0;
    }
  }
}
