import type { RunningChange } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import type { RunningEntry } from './running-entry.ts';

/** The longest time that a change waits for others, in milliseconds. */
const joinMs = 150;
/** The most requests whose changes wait; further ones are missed. */
const mostWaiting = 1_000;

/** Sends changes; false if they cannot be sent. */
type SendChanges = (changes: readonly RunningChange[], missed: number) => boolean;

/** The changes of a process's requests while a control follows them. Several changes of one request are joined. */
export class ChangeFeed {
  readonly #name: string;
  readonly #send: SendChanges;
  readonly #clock: Clock;
  /** The requests that have changed, in the order of their first change; true if they have started since. */
  readonly #waiting = new Map<RunningEntry, boolean>();
  readonly #timer: Timer;
  #missed = 0;
  /** In milliseconds since 1970. */
  #until = 0;

  constructor(name: string, clock: Clock, send: SendChanges) {
    this.#name = name;
    this.#clock = clock;
    this.#send = send;
    this.#timer = clock.setInterval(() => this.#flush(), joinMs).unref();
  }

  /** Extends the time for which changes are wanted. */
  extend(ms: number): void {
    this.#until = Math.max(this.#until, this.#clock.now() + ms);
  }

  get isOver(): boolean {
    return this.#clock.now() >= this.#until;
  }

  add(entry: RunningEntry, started: boolean): void {
    if (this.#waiting.has(entry)) return;
    if (this.#waiting.size < mostWaiting) this.#waiting.set(entry, started);
    else this.#missed++;
  }

  close(): void {
    this.#clock.clearInterval(this.#timer);
    this.#flush();
  }

  #flush(): void {
    if (this.#waiting.size === 0 && this.#missed === 0) return;
    const changes = [...this.#waiting].flatMap(([entry, started]) => this.#changesOf(entry, started));
    this.#waiting.clear();
    this.#missed = this.#send(changes, this.#missed) ? 0 : this.#missed + changes.length;
  }

  #changesOf(entry: RunningEntry, started: boolean): RunningChange[] {
    const request = entry.show(this.#name);
    const { end } = entry;
    const begun: RunningChange[] = started ? [{ type: 'started', request }] : [];
    if (end) return [...begun, { type: 'ended', request, end }];
    return started ? begun : [{ type: 'changed', request }];
  }
}
