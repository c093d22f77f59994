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

/** The answers of a model at this process. */
interface Answers {
  /** In tokens, the oldest first. */
  outputs: number[];
  /** The usual output of which the other processes know, and when they were told. */
  told: number;
  toldAt: number;
}

/** The sizes of recent answers by model, at this process and at others, to estimate those of requests that set no maximum. */
export class RecentOutputs {
  readonly #id: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #own = new Map<string, Answers>();
  /** The usual outputs at other processes, by model and process, and when this process heard of them. */
  readonly #others = new Map<string, Map<string, { output: number; at: number }>>();
  /** Called with each change of which the other processes must know. */
  onUsual: (usual: UsualOutput) => void = () => {};

  /** `id` names this process among all. */
  constructor(id = '', clock: Pick<Clock, 'now'> = systemClock) {
    this.#id = id;
    this.#clock = clock;
  }

  /** Records the output tokens of an answer. */
  add(model: string, tokens: number): void {
    const answers = this.#own.get(model) ?? { outputs: [], told: 0, toldAt: Number.NEGATIVE_INFINITY };
    answers.outputs.push(tokens);
    if (answers.outputs.length > remembered) answers.outputs.shift();
    putLast(this.#own, model, answers, mostModels);
    this.#tell(model, answers);
  }

  #tell(model: string, answers: Answers): void {
    const output = usualOf(answers);
    const now = this.#clock.now();
    const { told, toldAt } = answers;
    if (output <= told * grown && output >= told * fallen && now - toldAt < tellMs) return;
    answers.told = output;
    answers.toldAt = now;
    this.onUsual({ version: now, model, by: this.#id, usualOutput: output });
  }

  /** Takes over the usual output of a model at another process. */
  read({ model, by, usualOutput: output }: UsualOutput): void {
    if (by === this.#id) return;
    const processes = this.#others.get(model) ?? new Map<string, { output: number; at: number }>();
    putLast(processes, by, { output, at: this.#clock.now() }, mostProcesses);
    putLast(this.#others, model, processes, mostModels);
  }

  /** Returns the number of output tokens that 99 % of a model's recent answers do not exceed, at whichever process that is most. */
  usual(model: string): number {
    const own = this.#own.get(model);
    let most = own ? usualOf(own) : -1;
    const now = this.#clock.now();
    for (const { output, at } of this.#others.get(model)?.values() ?? [])
      if (now - at <= keptMs) most = Math.max(most, output);
    return most < 0 ? unknown : most;
  }
}

function usualOf({ outputs }: Answers): number {
  const sorted = outputs.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * usualPart) - 1] ?? 0;
}

/** Puts a value at the end of a map, and removes the first if there are more than `most`. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}
