import { randomUUIDv7 } from 'node:crypto';
import {
  answerCharacters,
  type Envelope,
  type GenerateEvent,
  type RecordedEnvelope,
  recordedEnvelope,
  type Usage,
  type WireFormat,
} from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';
import { PassedSession } from './passed-session.ts';
import type { AnnouncedAttempt } from './protocol.ts';
import { appended } from './slab.ts';

/**
 * The end of a call whose worker was lost: `answered` or `failed` before that, or cancelled, since the client `left` or the gateway gave
 * it up (`given-up`); `lost` with its worker, after which the request was `resent` to another one; `unopened` if the worker was lost
 * before it accepted; `unaccepted` if the client left before that.
 */
type CallEnd = 'answered' | 'failed' | 'left' | 'given-up' | 'lost' | 'resent' | 'unopened' | 'unaccepted';

/** The attempts of a call that a worker has announced. */
export interface AnnouncedAttempts {
  ended: CallEnd;
  envelope: RecordedEnvelope;
  attempts: AnnouncedAttempt[];
  /** True if any of the response was delivered to the caller. */
  delivered: boolean;
  /** The administrator who ended the request. */
  endedBy?: string | undefined;
  /** The usage of the last attempt, if the response reported it at its end. */
  usage: Usage | null;
  /** The part of a stream that was passed on. */
  passed?: PassedOn | undefined;
  /** The part of a realtime session that was passed on. */
  session?: PassedSession | undefined;
}

/** Returns the attempt of an opening that was not answered: the worker that was lost may have made it. */
export function unopened(envelope: Envelope, attempt: AnnouncedAttempt): AnnouncedAttempts {
  return { ended: 'unopened', envelope, attempts: [attempt], delivered: false, usage: null };
}

/** Returns the first attempt of an opening. Each opening has its own: several workers may make one for the same call. */
export function attemptOf({ operation, route }: Envelope): AnnouncedAttempt | undefined {
  if (operation === 'realtime') return undefined;
  return { id: randomUUIDv7(), provider: route.provider, model: route.model };
}

/** The most attempts remembered per call. A long session can have more; its worker has recorded the older ones. */
export const maxKeptAttempts = 1_000;

/** The facts of attempts that are taken. */
type Taken = Pick<AnnouncedAttempts, 'ended' | 'delivered' | 'endedBy'>;

/** The attempts of a call that its worker announced, and what was passed on of their answer. */
export class CallAttempts {
  readonly #envelope: Envelope;
  readonly #passed: PassedOn | undefined;
  readonly #session: PassedSession | undefined;
  #announced: AnnouncedAttempt[] = [];
  /** Those of the call once it has ended. */
  #ended: readonly AnnouncedAttempt[] = [];

  constructor(envelope: Envelope, clock: Pick<Clock, 'now'>) {
    this.#envelope = envelope;
    if (envelope.stream && envelope.operation === 'generate')
      this.#passed = new PassedOn(clock, envelope.format);
    if (envelope.operation === 'realtime') this.#session = new PassedSession();
  }

  get ids(): readonly string[] {
    return [...this.#ended, ...this.#announced].map(({ id }) => id);
  }

  get count(): number {
    return this.#announced.length;
  }

  add(attempt: AnnouncedAttempt): void {
    this.#announced = appended(this.#announced, attempt, maxKeptAttempts);
  }

  /** Adds and returns the attempt of an opening without an answer, which a worker may have made. */
  unanswered(attempt: AnnouncedAttempt | undefined): AnnouncedAttempts {
    const attempts = attempt ? [attempt] : [];
    this.#ended = attempts;
    const envelope = recordedEnvelope(this.#envelope);
    return { ended: 'unaccepted', envelope, attempts, delivered: false, usage: null };
  }

  /** Notes what is passed on to the client. */
  passed(events: readonly GenerateEvent[]): void {
    this.#passed?.add(events);
    if (!this.#session) return;
    for (const event of events)
      if (event.type === 'verbatim' && !event.partial) this.#session.received(event.bytes);
  }

  /** Returns and clears the attempts at a worker; `usage` belongs to the last one. */
  take(taken: Taken, usage: Usage | null = null): AnnouncedAttempts {
    const attempts = this.#announced;
    this.#announced = [];
    this.#ended = attempts;
    this.#passed?.end();
    const envelope = recordedEnvelope(this.#envelope);
    return { ...taken, envelope, attempts, usage, passed: this.#passed, session: this.#session };
  }
}

/** The first verbatim pieces whose characters are counted. To find the texts costs time, so of those after them one in `step` is. */
const firstPieces = 16;
/** A prime, so that pieces which alternate are counted alike. */
const step = 17;

/** The part of a stream that was passed on, from which its usage is estimated if its worker is lost. */
export class PassedOn {
  /** The usage that the upstream reported at the beginning. */
  usage: Usage | null = null;
  /** The time of the first text, or of the end if none came, in milliseconds since 1970; undefined before both. */
  silentUntil: number | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #format: WireFormat | undefined;
  /** Characters of translated events. */
  #translated = 0;
  #pieces = 0;
  /** Characters in the counted verbatim pieces with a text, and the bytes of these. */
  #counted = 0;
  #bytes = 0;
  /** Bytes of the pieces that are not counted. */
  #rest = 0;

  /** `format`: that of verbatim events. */
  constructor(clock: Pick<Clock, 'now'> = systemClock, format?: WireFormat) {
    this.#clock = clock;
    this.#format = format;
  }

  add(events: readonly GenerateEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') this.#translated += event.text.length;
      else if (event.type === 'verbatim') this.#pass(event.bytes);
      else if (event.type === 'start') this.usage = event.usage ?? null;
    }
    if (this.silentUntil === undefined && this.characters > 0) this.end();
  }

  end(): void {
    this.silentUntil ??= this.#clock.now();
  }

  get characters(): number {
    const rest = this.#rest === 0 ? 0 : (this.#rest * this.#counted) / this.#bytes;
    return Math.round(this.#translated + this.#counted + rest);
  }

  #pass(bytes: Uint8Array): void {
    const piece = ++this.#pieces;
    if (piece > firstPieces && piece % step !== 0 && this.#counted > 0) {
      this.#rest += bytes.length;
      return;
    }
    const characters = answerCharacters(bytes, this.#format);
    if (characters === 0) return;
    this.#counted += characters;
    this.#bytes += bytes.length;
  }
}
