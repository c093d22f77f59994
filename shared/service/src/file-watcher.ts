import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, systemClock, type Timer } from '@model-gateway/clock';

interface FileWatcherOptions {
  paths: string[];
  /** Time for a writer to finish after a change, in milliseconds. */
  settleMs: number;
  /** Interval of checks without a reported change, in milliseconds: some file systems report none. */
  pollMs: number;
  /** Reads the files, which may be unchanged. Must not reject. */
  check(): Promise<void>;
  /** Called if changes cannot be watched. The files are then only polled. */
  unwatched?(error: unknown): void;
  /** The system's if absent. */
  clock?: Clock;
}

/** Calls `check` after each change of some files, one call after the other. Does not keep the process alive. */
export class FileWatcher {
  readonly #options: FileWatcherOptions;
  readonly #watchers: FSWatcher[];
  readonly #clock: Clock;
  readonly #poll: Timer;
  #settling: Timer | undefined;
  #work: Promise<void> = Promise.resolve();
  #isQueued = false;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const folders = new Set(options.paths.map(path => dirname(path)));
    this.#watchers = [...folders].flatMap(folder => this.#watch(folder));
    this.#poll = this.#clock.setInterval(() => this.#check(), options.pollMs).unref();
  }

  /** Stops the checks. Resolves after the last one. */
  async close(): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
    this.#clock.clearTimeout(this.#settling);
    this.#clock.clearInterval(this.#poll);
    await this.#work;
  }

  /** Watches the folder, since editors replace the file, and Kubernetes replaces a link (`..data`). */
  #watch(folder: string): FSWatcher[] {
    const { paths, settleMs, unwatched } = this.#options;
    const names = new Set(['..data', ...paths.map(path => basename(path))]);
    try {
      const watcher = watch(folder, (_event, name) => {
        if (name && !names.has(name)) return;
        this.#clock.clearTimeout(this.#settling);
        this.#settling = this.#clock.setTimeout(() => this.#check(), settleMs).unref();
      });
      watcher.on('error', error => unwatched?.(error));
      return [watcher.unref()];
    } catch (error) {
      unwatched?.(error);
      return [];
    }
  }

  #check(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#work = this.#work.then(() => {
      this.#isQueued = false;
      return this.#options.check();
    });
  }
}
