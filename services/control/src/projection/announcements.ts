import type { Clock, Timer } from '@model-gateway/clock';
import type { Change } from '../common/change.ts';

/** The interval at which a change is announced. */
const repeatEveryMs = 250;
/**
 * The time for which a change is still announced after KV has it. For a token, this is longer than a follower needs to
 * reopen its watch after its NATS server died. A catalog change stops at once: another control may remove the key
 * meanwhile, and removals are not announced.
 */
const lingerMs = { access: 10_000, catalog: 0 } as const;
/** The most changes that are announced at a time. Older ones are in KV only. */
const maxChanges = 1_000;

/**
 * Announces changes before KV has them. Announcements are repeated because they are not stored, and a follower may be
 * disconnected when one is sent.
 */
export class Announcements {
  readonly #announce: (change: Change) => void;
  readonly #clock: Clock;
  /** By key; `until` in milliseconds of the clock's monotonic time. */
  readonly #changes = new Map<string, { change: Change; until: number }>();
  #timer: Timer | undefined;

  constructor(announce: (change: Change) => void, clock: Clock) {
    this.#announce = announce;
    this.#clock = clock;
  }

  /** Starts to announce changes. */
  add(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#changes.delete(change.key);
      this.#changes.set(change.key, { change, until: Number.POSITIVE_INFINITY });
      this.#announce(change);
    }
    for (const key of this.#changes.keys()) {
      if (this.#changes.size <= maxChanges) break;
      this.#changes.delete(key);
    }
    this.#timer ??= this.#clock.setInterval(() => this.#repeat(), repeatEveryMs).unref();
  }

  /** The changes that are being announced. */
  get all(): Change[] {
    return [...this.#changes.values()].map(({ change }) => change);
  }

  /** Reports that KV has these changes. */
  written(changes: readonly Change[]): void {
    for (const change of changes) {
      const announced = this.#changes.get(change.key);
      if (announced?.change === change)
        announced.until = Math.min(announced.until, this.#clock.monotonic() + lingerMs[change.bucket]);
    }
  }

  stop(): void {
    this.#clock.clearInterval(this.#timer);
  }

  #repeat(): void {
    for (const [key, { change, until }] of this.#changes) {
      if (this.#clock.monotonic() < until) this.#announce(change);
      else this.#changes.delete(key);
    }
    if (this.#changes.size > 0) return;
    this.#clock.clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
