import {
  asUnsayable,
  type ChoiceEndEvent,
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  sumUsage,
  toErrorEvent,
} from '@model-gateway/canonical';
import type { Dispatcher } from 'undici';
import { type AttemptOptions, attempt } from './attempt.ts';

/** The most answers that are asked for at once, each in a call of its own. */
const maxChoices = 8;

/** How many upstream calls an attempt takes: one, unless the upstream gives fewer answers a call than are asked for. */
export function callsOf({ upstream, input }: Pick<AttemptOptions, 'upstream' | 'input'>): number {
  return upstream.dialect.choices === 'one' ? (input.request?.n ?? 1) : 1;
}

/**
 * Asks an upstream that gives one answer a call for several, and passes them on as the choices of one.
 * Resolves as {@link attempt} does: to an error if nothing of any choice was given away.
 */
export async function fanOut(
  dispatcher: Dispatcher,
  options: AttemptOptions,
): Promise<GatewayError | undefined> {
  const count = callsOf(options);
  return count > maxChoices ? tooMany(count) : new FanOut(options, count).run(dispatcher);
}

function tooMany(count: number): GatewayError {
  const message = `Invalid 'n': this model gives at most ${maxChoices} answers to a request, not ${count}.`;
  const details = { param: 'n', code: 'integer_above_max_value' };
  return asUnsayable(new GatewayError('invalid-request', message, details));
}

class FanOut {
  readonly #options: AttemptOptions;
  readonly #finishes: (FinishEvent | undefined)[];
  /** Of all calls: they end together. */
  readonly #abort = new AbortController();
  #begun = false;
  #over = false;

  constructor(options: AttemptOptions, count: number) {
    this.#options = options;
    this.#finishes = Array.from({ length: count }, () => undefined);
  }

  async run(dispatcher: Dispatcher): Promise<GatewayError | undefined> {
    const { signal } = this.#options.call;
    const cancel = () => this.#stop();
    signal.addEventListener('abort', cancel, { once: true });
    let failure: GatewayError | undefined;
    const calls = this.#finishes.map(async (_, choice) => {
      const error = await attempt(dispatcher, this.#optionsOf(choice));
      if (!error || this.#over) return;
      failure = error;
      this.#stop();
    });
    await Promise.all(calls);
    signal.removeEventListener('abort', cancel);
    if (!failure || !this.#begun) return failure;
    this.#options.call.send([toErrorEvent(failure)]);
    return undefined;
  }

  /** The call of one choice: what it sends is joined with what the others do. */
  #optionsOf(choice: number): AttemptOptions {
    const { call, input } = this.#options;
    return {
      ...this.#options,
      input: { ...input, request: { messages: [], ...input.request, n: 1 } },
      call: {
        envelope: call.envelope,
        signal: this.#abort.signal,
        get drained() {
          return call.drained;
        },
        send: events => this.#send(choice, events),
        announce: attempt => call.announce(attempt),
      },
    };
  }

  #send(choice: number, events: readonly GenerateEvent[]): boolean {
    if (this.#over) return true;
    const joined = events.flatMap(event => this.#join(choice, event));
    const goOn = joined.length === 0 || this.#options.call.send(joined);
    if (joined.at(-1)?.type === 'error') this.#stop();
    return goOn;
  }

  /** What an event of one choice is in the answer of all. */
  #join(choice: number, event: GenerateEvent): GenerateEvent[] {
    switch (event.type) {
      case 'start': {
        const first = !this.#begun;
        this.#begun = true;
        return first ? [event] : [];
      }
      case 'part-start':
      case 'part-delta':
      case 'part-end':
        return [choice === 0 ? event : { ...event, choice }];
      case 'finish':
        return this.#finish(choice, event);
      case 'error':
        return [event];
      // Only answers of one choice are asked for, and in parts.
      case 'choice-end':
      case 'verbatim':
        return [];
    }
  }

  /** The first choice's end waits for those of the others, since it is the answer's. */
  #finish(choice: number, finish: FinishEvent): GenerateEvent[] {
    this.#finishes[choice] = finish;
    const { type: _, usage: __, ...ending } = finish;
    const end: ChoiceEndEvent[] = choice === 0 ? [] : [{ type: 'choice-end', choice, ...ending }];
    const finishes = this.#finishes.filter(given => given !== undefined);
    const [first] = this.#finishes;
    if (!first || finishes.length < this.#finishes.length) return end;
    const usages = finishes.flatMap(({ usage }) => usage ?? []);
    return [...end, { ...first, usage: usages.length > 0 ? sumUsage(usages) : null }];
  }

  #stop(): void {
    this.#over = true;
    this.#abort.abort();
  }
}
