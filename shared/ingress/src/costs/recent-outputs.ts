import type { AnnouncedAttempts } from '@model-gateway/bus';
import { type Clock, systemClock } from '@model-gateway/clock';
import { z } from 'zod';

/** The number of answers of a model that are remembered. */
const remembered = 100;
/** The most models that are remembered, of this process and of others, and the most other processes for each. */
const mostModels = 1_000;
const mostProcesses = 100;
/** Output tokens of an answer while nothing is known of its model. */
const unknown = 1_000;
/** The part of a model's answers that do not exceed its usual output. */
const usualPart = 0.99;
/** Other processes are told again of an output that has grown by a tenth or fallen by half, and each hour. */
const grown = 1.1;
const fallen = 0.5;
const tellMs = 3_600_000;
/** Time for which the outputs at other processes count, in milliseconds: as long as NATS stores them. */
const keptMs = 2 * tellMs;

const usualOutput = z.object({
  /** Time of the change in milliseconds since 1970. A later one replaces it. */
  version: z.int(),
  /** The model's name as clients send it. */
  model: z.string(),
  /** The process whose answers they were. */
  by: z.string(),
  /** In tokens. */
  usualOutput: z.number().min(0),
  /** The part of it that streams do not show, in tokens; absent if that is not known. */
  hidden: z.number().min(0).optional(),
});

/** The usual output of a model at one process: a value of the bucket `health`. */
export type UsualOutput = z.infer<typeof usualOutput>;

/** Returns a value of the bucket `health`; undefined if it is not a usual output. */
export function readUsualOutput(value: unknown): UsualOutput | undefined {
  return usualOutput.safeParse(value).data;
}

/** Returns the key of a usual output in the bucket `health`. */
export function usualOutputKey({ model, by }: UsualOutput): string {
  return Buffer.from(JSON.stringify(['output', model, by])).toString('base64url');
}

/** A complete answer, as far as it is known what it did not show. */
type StreamedAnswer = Pick<AnnouncedAttempts, 'usage' | 'passed'> & { envelope: { model: string } };

/** Usual numbers of output tokens. */
interface Usual {
  output: number | undefined;
  hidden: number | undefined;
}

/** The answers of a model at this process. */
interface Answers {
  /** In tokens, the oldest first. */
  outputs: number[];
  /** The tokens that its streams did not show, the oldest first. */
  hidden: number[];
  /** The usual numbers of which the other processes know, and when they were told. */
  told: Usual;
  toldAt: number;
}

/** The sizes of recent answers by model, at this process and at others, from which those of other requests are estimated. */
export class RecentOutputs {
  readonly #id: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #own = new Map<string, Answers>();
  /** The usual numbers at other processes, by model and process, and when this process heard of them. */
  readonly #others = new Map<string, Map<string, Usual & { at: number }>>();
  /** Called with each change of which the other processes must know. */
  onUsual: (usual: UsualOutput) => void = () => {};

  /** `id` names this process among all. */
  constructor(id = '', clock: Pick<Clock, 'now'> = systemClock) {
    this.#id = id;
    this.#clock = clock;
  }

  /** Records the output tokens of an answer. */
  add(model: string, tokens: number): void {
    const answers = this.#answersOf(model);
    remember(answers.outputs, tokens);
    this.#tell(model, answers);
  }

  /** Records what a complete answer did not show of its output, if it is a stream. */
  answered({ envelope: { model }, usage, passed }: StreamedAnswer): void {
    if (!usage || !passed) return;
    const hidden = usage.reasoning > 0 ? usage.hidden : 0;
    if (hidden === undefined) return;
    const known = this.#own.get(model)?.hidden;
    // Most models hide nothing.
    if (hidden === 0 && known?.length && !known.some(tokens => tokens > 0)) return;
    const answers = this.#answersOf(model);
    remember(answers.hidden, hidden);
    if (hidden > 0) this.#tell(model, answers);
  }

  #answersOf(model: string): Answers {
    const none = {
      outputs: [],
      hidden: [],
      told: { output: 0, hidden: 0 },
      toldAt: Number.NEGATIVE_INFINITY,
    };
    const answers = this.#own.get(model) ?? none;
    putLast(this.#own, model, answers, mostModels);
    return answers;
  }

  #tell(model: string, answers: Answers): void {
    const usual = { output: usualOf(answers.outputs), hidden: usualOf(answers.hidden) };
    const now = this.#clock.now();
    const { told, toldAt } = answers;
    if (isLike(usual.output, told.output) && isLike(usual.hidden, told.hidden) && now - toldAt < tellMs)
      return;
    answers.told = usual;
    answers.toldAt = now;
    const { output = unknown, hidden } = usual;
    const known = { version: now, model, by: this.#id, usualOutput: output };
    this.onUsual(hidden === undefined ? known : { ...known, hidden });
  }

  /** Takes over the usual output of a model at another process. */
  read({ model, by, usualOutput: output, hidden }: UsualOutput): void {
    if (by === this.#id) return;
    const processes = this.#others.get(model) ?? new Map<string, Usual & { at: number }>();
    putLast(processes, by, { output, hidden, at: this.#clock.now() }, mostProcesses);
    putLast(this.#others, model, processes, mostModels);
  }

  /** Returns the number of output tokens that 99 % of a model's recent answers do not exceed, at whichever process that is most. */
  usual(model: string): number {
    return this.#most(model, this.#own.get(model)?.outputs, ({ output }) => output) ?? unknown;
  }

  /** Returns the number of tokens that 99 % of a model's recent streams did not show at most; undefined if it is not known. */
  hidden(model: string): number | undefined {
    return this.#most(model, this.#own.get(model)?.hidden, ({ hidden }) => hidden);
  }

  #most(
    model: string,
    own: readonly number[] | undefined,
    ofOther: (other: Usual) => number | undefined,
  ): number | undefined {
    let most = own && usualOf(own);
    const now = this.#clock.now();
    for (const other of this.#others.get(model)?.values() ?? []) {
      const tokens = now - other.at <= keptMs ? ofOther(other) : undefined;
      if (tokens !== undefined && tokens > (most ?? -1)) most = tokens;
    }
    return most;
  }
}

function remember(answers: number[], tokens: number): void {
  answers.push(tokens);
  if (answers.length > remembered) answers.shift();
}

/** Returns what most of some numbers do not exceed; undefined if there are none. */
function usualOf(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * usualPart) - 1];
}

/** True if the other processes need not be told of a number, since they were told of a similar one. */
function isLike(number = 0, told = 0): boolean {
  return number <= told * grown && number >= told * fallen;
}

/** Puts a value at the end of a map, and removes the first if there are more than `most`. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}
