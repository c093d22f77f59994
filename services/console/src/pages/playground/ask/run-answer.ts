import { toProblem } from '../../problem.ts';
import type { AnswerEvent } from '../conversation/answer-event.ts';
import type { Change, Served } from '../conversation/reduce.ts';
import { failureOf } from '../conversation/turn.ts';
import type { AnswerReader } from '../formats/answer-reader.ts';
import type { WireRequest } from '../formats/format.ts';
import { ask } from './ask.ts';
import type { Exchanges, TimedEvent } from './exchange.ts';

/** One answer to fetch, and where what happens is written. */
export interface Run {
  id: number;
  request: WireRequest;
  reader: AnswerReader;
  secret: string;
  controller: AbortController;
  exchanges: Exchanges;
  dispatch(change: Change): void;
}

/** Fetches one answer until it ends, fails or is stopped. */
export async function runAnswer(run: Run): Promise<void> {
  const { id, request, reader, secret, controller, exchanges, dispatch } = run;
  const { signal } = controller;
  const began = performance.now();
  const ms = () => performance.now() - began;
  const waiting = new Batch((events, raws, at) => {
    exchanges.add(id, raws);
    dispatch({ type: 'events', id, events, ms: at });
  });
  try {
    for await (const happened of ask(request, reader, secret, signal)) {
      if (happened.type === 'event') {
        waiting.add(happened.events, { ...happened.raw, ms: ms() });
        continue;
      }
      exchanges.accept(id, happened.status, happened.headers);
      dispatch({ type: 'accepted', id, served: servedBy(happened.headers) });
    }
    waiting.flush();
    dispatch({ type: 'events', id, events: reader.end(), ms: ms() });
    dispatch({ type: 'ended', id, state: 'done', ms: ms() });
  } catch (thrown) {
    waiting.flush();
    if (signal.aborted) dispatch({ type: 'ended', id, state: 'stopped', ms: ms() });
    else dispatch({ type: 'ended', id, state: 'failed', ms: ms(), failure: failureOf(toProblem(thrown)) });
  }
}

function servedBy(headers: readonly [string, string][]): Served {
  const named = new Map(headers);
  return {
    requestId: named.get('x-request-id') ?? named.get('request-id'),
    target: named.get('x-gateway-target'),
    servedModel: named.get('x-gateway-served-model'),
  };
}

/** The page draws at most once in this time while events come, in milliseconds. */
const drawMs = 16;

/** Joins events that come in quick succession, so that a fast stream does not draw the page for each. */
class Batch {
  readonly #write: (events: AnswerEvent[], raws: TimedEvent[], ms: number) => void;
  #events: AnswerEvent[] = [];
  #raws: TimedEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(write: (events: AnswerEvent[], raws: TimedEvent[], ms: number) => void) {
    this.#write = write;
  }

  add(events: AnswerEvent[], raw: TimedEvent): void {
    this.#events.push(...events);
    this.#raws.push(raw);
    this.#timer ??= setTimeout(() => this.flush(), drawMs);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [first] = this.#raws;
    if (first) this.#write(this.#events, this.#raws, first.ms);
    this.#events = [];
    this.#raws = [];
  }
}
