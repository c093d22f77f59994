import { type Envelope, type GenerateEvent, recordedEnvelope, type Usage } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { AnnouncedAttempts } from './call-request.ts';
import { PassedOn } from './passed-on.ts';
import { PassedSession } from './passed-session.ts';
import type { AnnouncedAttempt } from './protocol.ts';
import { appended } from './slab.ts';

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
