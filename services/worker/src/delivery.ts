import type { ServedCall } from '@model-gateway/bus';
import {
  type AudioEvent,
  type GatewayError,
  type GenerateEvent,
  toErrorEvent,
  toGatewayError,
  type VerbatimEvent,
} from '@model-gateway/canonical';
import { isLargeJson, jsonWeight, writeInSteps } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';

/** The largest delta, in characters, or verbatim or audio event, in bytes, that is sent in one piece. */
const largePiece = 128 * 1024;
/** The most events that are sent together: a client's format may take several events of its own for each. */
const mostTogether = 500;

/** A call whose last events can be sent as JSON; without `sendWritten` they stay in this process. */
type SendsLast = Pick<ServedCall, 'envelope' | 'send'> & Partial<Pick<ServedCall, 'sendWritten' | 'signal'>>;

/** A call as its answer is delivered. */
export type DeliveredCall = SendsLast & Pick<ServedCall, 'drained'>;

const none: readonly GenerateEvent[] = [];

/** Sends the answer of one attempt to its client: first holds events back, then sends them at the client's pace. */
export class Delivery {
  readonly #call: DeliveredCall;
  readonly #streams: boolean;
  /** Events held back, since another upstream can be tried if they end in an error: see {@link #isReady}. */
  #held: GenerateEvent[] = [];
  #sentAny = false;
  #stopped = false;

  /** `streams`: true if the answer is sent as it arrives, false if it is sent once it is complete. */
  constructor(call: DeliveredCall, streams: boolean) {
    this.#call = call;
    this.#streams = streams;
  }

  /** True if any event was sent. */
  get sentAny(): boolean {
    return this.#sentAny;
  }

  /** True if any event was sent or is held back. */
  get begun(): boolean {
    return this.#sentAny || this.#held.length > 0;
  }

  /** Takes the next events of the answer, and returns those to send now: none while events are held back. */
  take(decoded: readonly GenerateEvent[]): readonly GenerateEvent[] {
    if (this.#sentAny) return decoded;
    // Not `push(...decoded)`: there may be more events than a call takes arguments.
    for (const event of decoded) this.#held.push(event);
    if (!this.#isReady(decoded)) return none;
    const events = joinDeltas(this.#held);
    this.#held = [];
    this.#sentAny = events.length > 0;
    return events;
  }

  /** True if held events can be sent: a stream once a part has begun, a whole answer once complete. Until then, all before are starts. */
  #isReady(decoded: readonly GenerateEvent[]): boolean {
    if (!this.#streams) return decoded.at(-1)?.type === 'finish';
    return decoded.some(({ type }) => type !== 'start');
  }

  /** Sends events. Returns a promise if the client reads more slowly than the upstream sends: read on once it resolves. */
  send(events: readonly GenerateEvent[]): Promise<void> | undefined {
    return this.#call.send(events) ? undefined : this.#call.drained;
  }

  /** True if events must be sent by {@link sendInPieces}. */
  isLarge(events: readonly GenerateEvent[]): boolean {
    if (events.length > mostTogether) return true;
    return hasLarge(events) || (!this.#streams && events.at(-1)?.type === 'finish' && isLargeRun(events));
  }

  /** Sends all events but the `finish` event, large ones in pieces, at the client's pace. */
  async sendInPieces(events: readonly GenerateEvent[]): Promise<void> {
    for (const batch of inBatches(events.filter(({ type }) => type !== 'finish'))) {
      if (this.#stopped) return;
      this.#call.send(batch);
      await this.#call.drained;
      await nextTurn();
    }
  }

  /** True if the last events must be sent by {@link sendLast}. */
  isLargeLast(events: readonly GenerateEvent[]): boolean {
    return isLargeLast(this.#call, events);
  }

  /** Sends the last events, writing a large result in steps; if it cannot be written, sends an error. */
  async sendLast(events: readonly GenerateEvent[]): Promise<void> {
    await sendLast(this.#call, events).catch(thrown =>
      this.#call.send([toErrorEvent(toGatewayError(thrown))]),
    );
  }

  /** Ends the answer with an error; returns the error if nothing was sent, so that another upstream can be tried. */
  fail(error: GatewayError): GatewayError | undefined {
    if (!this.#sentAny) return error;
    this.#call.send([toErrorEvent(error)]);
    return undefined;
  }

  /** Sends no further piece. */
  stop(): void {
    this.#stopped = true;
  }
}

/** Joins adjacent deltas of one part: a fast upstream sends many in one read. */
export function joinDeltas(events: readonly GenerateEvent[]): GenerateEvent[] {
  const joined: GenerateEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const more = event.type === 'part-delta' && last?.type === 'part-delta';
    if (more && event.index === last.index && event.choice === last.choice)
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}

/** True if an event must be sent in pieces. */
export function hasLarge(events: readonly GenerateEvent[]): boolean {
  return events.some(
    event =>
      (event.type === 'part-delta' && event.text.length > largePiece) ||
      ((event.type === 'verbatim' || event.type === 'audio') && event.bytes.length > largePiece),
  );
}

/** True if events without a result are too large to be sent together. */
export function isLargeRun(events: readonly GenerateEvent[]): boolean {
  return events.length > 2 && isLargeJson(events);
}

/** Yields the events in batches for one turn each: many small ones together, large ones in pieces. */
export function* inBatches(events: readonly GenerateEvent[]): Generator<GenerateEvent[]> {
  let batch: GenerateEvent[] = [];
  let weight = 0;
  for (const event of splitLarge(events)) {
    const more = 'bytes' in event ? event.bytes.length : jsonWeight(event);
    if (weight > 0 && (weight + more > largePiece || batch.length >= mostTogether)) {
      yield batch;
      batch = [];
      weight = 0;
    }
    batch.push(event);
    weight += more;
  }
  if (batch.length > 0) yield batch;
}

/** Yields the events, large ones in pieces. */
export function* splitLarge(events: readonly GenerateEvent[]): Generator<GenerateEvent> {
  for (const event of events) {
    if (event.type === 'part-delta') for (const text of textPieces(event.text)) yield { ...event, text };
    else if (event.type === 'verbatim') yield* verbatimPieces(event);
    else if (event.type === 'audio') yield* audioPieces(event);
    else yield event;
  }
}

/** Splits a verbatim event; `whole` stays with the first piece. */
function* verbatimPieces({ bytes, whole, partial = false }: VerbatimEvent): Generator<VerbatimEvent> {
  for (let at = 0; at === 0 || at < bytes.length; at += largePiece) {
    const more = at + largePiece < bytes.length;
    yield {
      type: 'verbatim',
      bytes: bytes.subarray(at, at + largePiece),
      ...((more || partial) && { partial: true }),
      ...(at === 0 && whole && { whole }),
    };
  }
}

/** Splits an audio event; its media type stays with the first piece. */
function* audioPieces({ bytes, mediaType }: AudioEvent): Generator<AudioEvent> {
  for (let at = 0; at === 0 || at < bytes.length; at += largePiece)
    yield {
      type: 'audio',
      bytes: bytes.subarray(at, at + largePiece),
      ...(at === 0 && mediaType && { mediaType }),
    };
}

function* textPieces(text: string): Generator<string> {
  let at = 0;
  while (text.length - at > largePiece) {
    // The two halves of a surrogate pair stay together.
    const end = isHighSurrogate(text.charCodeAt(at + largePiece - 1)) ? at + largePiece - 1 : at + largePiece;
    yield text.slice(at, end);
    at = end;
  }
  yield text.slice(at);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** True if the last events hold a result that is so large that it is written in steps. */
function isLargeLast(call: SendsLast, events: readonly GenerateEvent[]): boolean {
  return (
    call.sendWritten !== undefined && events.some(({ type }) => type === 'result') && isLargeJson(events)
  );
}

/** Sends the last events of an answer, writing large ones in steps. */
export async function sendLast(call: SendsLast, events: readonly GenerateEvent[]): Promise<void> {
  if (!isLargeLast(call, events)) return void call.send(events);
  const { envelope, signal } = call;
  const { id } = envelope.token;
  await call.sendWritten?.(await writeInSteps(events, () => nextTurn(undefined, id), { signal }));
}

/** Called by {@link Reading}. */
interface ReadingEvents {
  /** Stops reading from the upstream. */
  pause(): void;
  /** Reads on. */
  resume(): void;
  /** Ends the attempt with what a step threw. */
  broke(thrown: unknown): void;
}

/** The steps in which an upstream's answer is read: in order, and none while the client or earlier work takes its time. */
export class Reading {
  readonly #events: ReadingEvents;
  /** Number of works in progress: one may begin another. */
  #busy = 0;
  /** Number of reasons for which reading is paused. */
  #pauses = 0;
  readonly #later: (() => void)[] = [];

  constructor(events: ReadingEvents) {
    this.#events = events;
  }

  /** Runs a step now, or after the work in progress. */
  run(step: () => void): void {
    if (this.#busy > 0) this.#later.push(step);
    else this.now(step);
  }

  /** Runs a step now. */
  now(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#events.broke(thrown);
    }
  }

  /** Pauses reading until the promise resolves. */
  async pauseUntil(until: Promise<void>): Promise<void> {
    this.#pauses++;
    this.#events.pause();
    await until;
    if (--this.#pauses === 0) this.#events.resume();
  }

  /** Pauses reading and postpones steps until `work` is done. Resolves when they ran or wait again. */
  during(work: Promise<void>): Promise<void> {
    return this.pauseUntil(this.#postponed(work));
  }

  async #postponed(work: Promise<void>): Promise<void> {
    this.#busy++;
    await work.catch(thrown => this.#events.broke(thrown));
    this.#busy--;
    while (this.#busy === 0) {
      const step = this.#later.shift();
      if (!step) return;
      this.now(step);
    }
  }
}
