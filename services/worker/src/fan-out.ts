import {
  asNotRepresentable,
  type ChoiceEndEvent,
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type GenerateRequest,
  givenUp,
  sumUsage,
  toErrorEvent,
} from '@model-gateway/canonical';
import type { InputBody } from '@model-gateway/formats/upstream';
import { nextTurn } from '@model-gateway/service';
import type { Dispatcher } from 'undici';
import { attempt } from './attempt.ts';
import { inPart, JointRecords } from './attempt-record.ts';
import { inBatches, isLargeRun } from './delivery.ts';
import type { AttemptOptions } from './exchange.ts';

/** The most upstream calls for one request. */
export const maxCalls = 8;

/** One upstream call of an attempt. */
interface Part {
  request: GenerateRequest;
  /** Index of its first choice in the joined answer. */
  first: number;
}

/** Returns the number of upstream calls: several if one returns fewer choices than requested. */
function callsOf({ upstream, input }: Pick<AttemptOptions, 'upstream' | 'input'>): number {
  const { n = 1, others = [] } = generateRequestOf(input) ?? {};
  return (1 + others.length) * (upstream.dialect.choices === 'one' ? n : 1);
}

/** Returns the request if it is a generate request; others have no choices. */
function generateRequestOf(input: InputBody): GenerateRequest | undefined {
  return input.body === 'canonical' && 'messages' in input.request ? input.request : undefined;
}

function partsOf({ upstream, input }: AttemptOptions): Part[] {
  const { others = [], ...request } = generateRequestOf(input) as GenerateRequest;
  const { n = 1 } = request;
  const each = upstream.dialect.choices === 'one' ? 1 : n;
  return [request.messages, ...others].flatMap((messages, conversation) =>
    Array.from({ length: n / each }, (_, i) => ({
      request: { ...request, messages, n: each },
      first: conversation * n + i,
    })),
  );
}

/**
 * Calls an upstream several times for one request and joins the answers as choices of one.
 * Resolves as {@link attempt} does: to an error if nothing of any choice was sent to the client.
 */
export async function fanOut(
  dispatcher: Dispatcher,
  options: AttemptOptions,
): Promise<GatewayError | undefined> {
  const count = callsOf(options);
  return count > maxCalls
    ? tooMany(count, (generateRequestOf(options.input)?.n ?? 1) > 1)
    : new FanOut(options).run(dispatcher);
}

function tooMany(count: number, each: boolean): GatewayError {
  const message = `Invalid '{path}': this model returns at most ${maxCalls} choices per request, but got ${count}.`;
  const details = { path: each ? 'n' : 'messages', code: 'integer_above_max_value' };
  return asNotRepresentable(new GatewayError('invalid-request', message, details));
}

class FanOut {
  readonly #options: AttemptOptions;
  readonly #parts: Part[];
  /** Number of prompts, each of which goes to a part of the calls. */
  readonly #conversations: number;
  /** Finish events, by index of the call. */
  readonly #finishes: (FinishEvent | undefined)[];
  /** Aborts all calls: they end together. */
  readonly #abort = new AbortController();
  #begun = false;
  /** Joined events of a whole answer, which is sent once it is complete. */
  readonly #held: GenerateEvent[] = [];
  /** Usage records, held until the answer is complete. */
  readonly #records = new JointRecords();
  #over = false;
  #sending: Promise<void> | undefined;

  constructor(options: AttemptOptions) {
    this.#options = options;
    this.#parts = partsOf(options);
    this.#conversations = 1 + (generateRequestOf(options.input)?.others?.length ?? 0);
    this.#finishes = this.#parts.map(() => undefined);
  }

  async run(dispatcher: Dispatcher): Promise<GatewayError | undefined> {
    const { signal } = this.#options.call;
    const cancel = () => this.#stop();
    signal.addEventListener('abort', cancel, { once: true });
    let failure: GatewayError | undefined;
    const calls = this.#parts.map(async (part, i) => {
      const error = await attempt(dispatcher, this.#optionsOf(part, i));
      if (!error || this.#over) return;
      failure = error;
      this.#stop();
    });
    await Promise.all(calls);
    await this.#sending;
    signal.removeEventListener('abort', cancel);
    const { usage, call } = this.#options;
    if (call.envelope.stream) this.#records.write(usage);
    else this.#records.flush(usage, !this.#over, signal);
    if (!failure || !this.#begun || !call.envelope.stream) return failure;
    call.send([toErrorEvent(failure)]);
    return undefined;
  }

  /** Returns the options of one call, whose events are joined with those of the others. */
  #optionsOf({ request, first }: Part, i: number): AttemptOptions {
    const { call, input } = this.#options;
    return {
      ...this.#options,
      usage: this.#records,
      input: { ...inPart(input, this.#conversations), body: 'canonical', request },
      call: {
        envelope: call.envelope,
        signal: this.#abort.signal,
        get drained() {
          return call.drained;
        },
        send: events => this.#send(events, first, i),
        announce: target => call.announce(target),
      },
    };
  }

  #send(events: readonly GenerateEvent[], first: number, i: number): boolean {
    if (this.#over) return true;
    const joined = events.flatMap(event => this.#join(event, first, i));
    const { call } = this.#options;
    const end = joined.at(-1)?.type;
    if (!call.envelope.stream && end !== 'finish') {
      this.#held.push(...joined);
      return true;
    }
    const all = [...this.#held, ...joined];
    if (!call.envelope.stream && isLargeRun(all)) {
      this.#sending = this.#sendInTurns(all);
      return true;
    }
    const goOn = joined.length === 0 || call.send(all);
    if (end === 'error') this.#stop();
    return goOn;
  }

  /** Sends a large whole answer at the caller's pace. */
  async #sendInTurns(events: readonly GenerateEvent[]): Promise<void> {
    const { call } = this.#options;
    for (const batch of inBatches(events)) {
      if (call.signal.aborted) return;
      call.send(batch);
      await call.drained;
      await nextTurn(undefined, call.envelope.token.id);
    }
  }

  /** Converts an event of one call to the joined answer. */
  #join(event: GenerateEvent, first: number, i: number): GenerateEvent[] {
    switch (event.type) {
      case 'start': {
        if (this.#begun) return [];
        this.#begun = true;
        return [event];
      }
      case 'part-start':
      case 'part-delta':
      case 'part-end':
        return [first === 0 ? event : { ...event, choice: first + (event.choice ?? 0) }];
      case 'choice-end':
        return [{ ...event, choice: first + event.choice }];
      case 'finish':
        return this.#finish(event, first, i);
      case 'error':
        return [event];
      // Generate requests are answered in parts.
      case 'verbatim':
      case 'audio':
      case 'result':
        return [];
    }
  }

  /** Holds back the first choice's end until all calls have ended: it becomes the end of the answer. */
  #finish(finish: FinishEvent, choice: number, i: number): GenerateEvent[] {
    this.#finishes[i] = finish;
    const { type: _, usage: __, ...ending } = finish;
    const end: ChoiceEndEvent[] = choice === 0 ? [] : [{ type: 'choice-end', choice, ...ending }];
    const finishes = this.#finishes.filter(each => each !== undefined);
    const [first] = this.#finishes;
    if (!first || finishes.length < this.#finishes.length) return end;
    const usages = finishes.flatMap(({ usage }) => usage ?? []);
    return [...end, { ...first, usage: usages.length > 0 ? sumUsage(usages) : null }];
  }

  #stop(): void {
    this.#over = true;
    const { signal } = this.#options.call;
    this.#abort.abort(signal.aborted ? signal.reason : givenUp());
  }
}
