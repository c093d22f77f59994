import { type Envelope, type GenerateEvent, recordedEnvelope, type Usage } from '@model-gateway/canonical';
import type { AnnouncedAttempts } from './call-request.ts';
import { PassedOn } from './passed-on.ts';
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
  #announced: AnnouncedAttempt[] = [];
  /** Those of the call once it has ended. */
  #ended: readonly AnnouncedAttempt[] = [];

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
    if (envelope.stream && envelope.operation === 'generate') this.#passed = new PassedOn();
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

  /** Adds the attempt of an opening without an answer, which a worker may have made. */
  addUnanswered(attempt: AnnouncedAttempt): void {
    this.#ended = [attempt];
  }

  /** Notes what is passed on to the client. */
  passed(events: readonly GenerateEvent[]): void {
    this.#passed?.add(events);
  }

  /** Returns and clears the attempts at a worker; `usage` belongs to the last one. */
  take(taken: Taken, usage: Usage | null = null): AnnouncedAttempts {
    const attempts = this.#announced;
    this.#announced = [];
    this.#ended = attempts;
    const envelope = recordedEnvelope(this.#envelope);
    return { ...taken, envelope, attempts, usage, passed: this.#passed };
  }
}
