import {
  type Ending,
  type FinishReason,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
  type Usage,
} from '@model-gateway/canonical';
import { type Answer, cited, type Finish, type Reply, type Run, runsOf, source } from './answer.ts';

/** The parts of a vendor's answer besides the tokens of its replies. */
export interface Manner {
  /** Begins the ids of calls. */
  callPrefix: string;
  /** Runs of this kind are not shown. */
  hides?: Run['kind'] | false;
  /** True if the vendor shows only the signature of reasoning. */
  redacts?: boolean;
  /** True if the text cites the result of a web search. */
  searches?: boolean;
  /** Returns the vendor's signature of a run. */
  sign?(run: Run): Signature | undefined;
  /** The parts before the first run. */
  before?: PartStart[];
  /** The parts after the last run of a complete reply. */
  after?: PartStart[];
}

const reasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool-calls',
  refusal: 'refusal',
  blocked: 'content-filter',
} as const satisfies Record<Finish, FinishReason>;

/** The events of one reply: those before its first token, those of each token, and those after its last. */
export class ReplyEvents {
  readonly reply: Reply;
  readonly #manner: Manner;
  readonly #runs: Run[];
  readonly #choice: { choice?: number };
  /** The index of the next token's run. */
  #run = 0;
  /** The index of the next token in its run. */
  #place = 0;

  constructor(reply: Reply, choice: number, manner: Manner) {
    this.reply = reply;
    this.#manner = manner;
    this.#runs = runsOf(reply);
    this.#choice = choice > 0 ? { choice } : {};
  }

  get tokens(): number {
    return this.reply.steps.length;
  }

  opening(): GenerateEvent[] {
    const before = (this.#manner.before ?? []).flatMap((part, index) => this.#whole(part, index));
    return this.#runs.length > 0 ? [...before, this.#begin(0)] : before;
  }

  /** The events of the next token. */
  next(): GenerateEvent[] {
    const at = this.#run;
    const { kind, steps } = this.#runs[at] as Run;
    const step = steps[this.#place];
    const events = this.#place === 0 && at > 0 ? [this.#end(at - 1), this.#begin(at)] : [];
    if (step && step.kind !== 'call' && kind !== this.#manner.hides)
      events.push(this.#delta(this.#index(at), step.text));
    this.#place++;
    if (this.#place === steps.length) {
      this.#run++;
      this.#place = 0;
    }
    return events;
  }

  /** The events after the last token; `usage` is that of the whole answer. */
  closing(usage: Usage): GenerateEvent[] {
    const { finish, stopped } = this.reply;
    const { length } = this.#runs;
    const after = finish === 'stop' ? (this.#manner.after ?? []) : [];
    const { choice } = this.#choice;
    const ending: Ending = {
      reason: stopped === null ? reasons[finish] : 'stop-sequence',
      raw: null,
      ...(stopped !== null && { stopSequence: stopped }),
    };
    return [
      ...(length > 0 ? [this.#end(length - 1)] : []),
      ...after.flatMap((part, at) => this.#whole(part, this.#index(length + at))),
      choice ? { type: 'choice-end', choice, ...ending } : { type: 'finish', ...ending, usage },
    ];
  }

  /** Benchmarks run this for every token, and copying no fields is faster. */
  #delta(index: number, text: string): GenerateEvent {
    const { choice } = this.#choice;
    return choice ? { type: 'part-delta', choice, index, text } : { type: 'part-delta', index, text };
  }

  #index(run: number): number {
    return run + (this.#manner.before?.length ?? 0);
  }

  #begin(at: number): GenerateEvent {
    const part = this.#partOf(this.#runs[at] as Run);
    return { type: 'part-start', ...this.#choice, index: this.#index(at), part };
  }

  #partOf(run: Run): PartStart {
    const { callPrefix, redacts } = this.#manner;
    if (run.kind === 'reasoning')
      return redacts ? { type: 'reasoning', redacted: true } : { type: 'reasoning' };
    if (run.kind !== 'call') return { type: run.kind };
    const { id, name, tool } = run.call;
    return {
      type: 'tool-call',
      id: callPrefix + id,
      name,
      ...(tool === 'custom' && { custom: true }),
    };
  }

  #end(at: number): GenerateEvent {
    const run = this.#runs[at] as Run;
    const signature = this.#manner.sign?.(run);
    const cites = run.kind === 'text' && cited(this.reply, this.#manner.searches ?? false) !== null;
    return {
      type: 'part-end',
      ...this.#choice,
      index: this.#index(at),
      ...(signature && { signature }),
      ...(cites && { citations: [source] }),
    };
  }

  #whole(part: PartStart, index: number): GenerateEvent[] {
    return [
      { type: 'part-start', ...this.#choice, index, part },
      { type: 'part-end', ...this.#choice, index },
    ];
  }
}

export function canonicalUsage({ usage: { imageOutput: _, ...usage } }: Answer): Usage {
  return { ...noUsage, ...usage };
}
