import type { Change } from './change.ts';

/** How often a change is told. */
const everyMs = 250;
/**
 * How long a token's change is told once KV has it: for longer than a follower whose NATS server died needs to open a watch anew.
 * One of the catalog is not told any longer: another control may remove that key meanwhile, of which nothing is announced.
 */
const lingerMs = { access: 10_000, catalog: 0 } as const;
/** The most that are told at a time; KV alone tells of those before. */
const most = 1_000;

/**
 * Tells of changes ahead of KV, again and again: nothing keeps an announcement, and a follower may be without a
 * connection just when it comes.
 */
export class Announcements {
  readonly #announce: (change: Change) => void;
  /** By key; `until` in milliseconds since 1970. */
  readonly #changes = new Map<string, { change: Change; until: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(announce: (change: Change) => void) {
    this.#announce = announce;
  }

  /** Tells of changes from now on. */
  add(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#changes.delete(change.key);
      this.#changes.set(change.key, { change, until: Number.POSITIVE_INFINITY });
      this.#announce(change);
    }
    for (const key of this.#changes.keys()) {
      if (this.#changes.size <= most) break;
      this.#changes.delete(key);
    }
    this.#timer ??= setInterval(() => this.#again(), everyMs).unref();
  }

  /** What is told now. */
  get all(): Change[] {
    return [...this.#changes.values()].map(({ change }) => change);
  }

  /** KV has these. */
  written(changes: readonly Change[]): void {
    for (const change of changes) {
      const told = this.#changes.get(change.key);
      if (told?.change === change) told.until = Math.min(told.until, Date.now() + lingerMs[change.bucket]);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #again(): void {
    for (const [key, { change, until }] of this.#changes) {
      if (Date.now() < until) this.#announce(change);
      else this.#changes.delete(key);
    }
    if (this.#changes.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
