import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Clock, systemClock, type Timer } from '@model-gateway/clock';
import type { Started } from '@model-gateway/service';
import { Problem } from './problem.ts';
import type { Program } from './service-program.ts';

/** The longest that a program may take to start: on a busy machine, control takes a minute to create its database. */
const upWithinMs = 120_000;
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A program that ran for this long has recovered: the pause before its next restart is the shortest again. */
const recoveredMs = 60_000;

/** Keeps a program running: starts it, restarts it when it is lost, and stops it. */
export class Supervisor {
  readonly name: string;
  /** The program's addresses, once it has been up. */
  started: Started | undefined;
  readonly #program: Program;
  readonly #restarted: () => void;
  readonly #clock: Clock;
  #child: ChildProcess | undefined;
  #upSince = 0;
  #pauseMs = firstPauseMs;
  #restart: Timer | undefined;
  #stopping = false;

  /** `restarted` is called each time that the program is up again as a new process. */
  constructor(program: Program, restarted: () => void, clock: Clock = systemClock) {
    this.name = program.name;
    this.#program = program;
    this.#restarted = restarted;
    this.#clock = clock;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get running(): boolean {
    return this.#child !== undefined && ending(this.#child) === undefined;
  }

  /** Starts the program. @throws Problem if it ends before it is up; only a program that was up is restarted */
  async start(): Promise<Started> {
    const child = this.#program.spawn(this.started);
    this.#child = child;
    const failed = new AbortController();
    const fail = (why: string) => failed.abort(new Problem(`${this.name} ${why}`));
    const late = this.#clock.setTimeout(() => fail(`was not up within ${upWithinMs / 1000} s`), upWithinMs);
    child.once('error', error => fail(`cannot be run: ${error.message}`));
    child.once('exit', () => {
      fail(`ended (${ending(child)}) before it was up`);
      if (this.#upSince > 0) this.#lost(`ended (${ending(child)})`);
    });
    this.#upSince = 0;
    try {
      this.started = await this.#program.up(child, failed.signal);
      this.#upSince = this.#clock.now();
      return this.started;
    } catch (error) {
      throw failed.signal.aborted ? failed.signal.reason : error;
    } finally {
      this.#clock.clearTimeout(late);
    }
  }

  /** Sends SIGTERM to the program, and kills it at `until`, in milliseconds since 1970. */
  async stop(until: number): Promise<void> {
    this.#stopping = true;
    this.#clock.clearTimeout(this.#restart);
    const child = this.#child;
    if (!child?.pid || ending(child)) return;
    const group = -child.pid;
    const leftMs = Math.max(0, until - this.#clock.now());
    const kill = this.#clock.setTimeout(() => process.kill(group, 'SIGKILL'), leftMs);
    child.kill('SIGTERM');
    await once(child, 'exit');
    this.#clock.clearTimeout(kill);
  }

  #lost(how: string): void {
    if (this.#stopping) return;
    if (this.#upSince > 0 && this.#clock.now() - this.#upSince > recoveredMs) this.#pauseMs = firstPauseMs;
    console.error(`${this.name} ${how}; restarting in ${this.#pauseMs / 1000} s`);
    this.#restart = this.#clock.setTimeout(() => void this.#again(), this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }

  async #again(): Promise<void> {
    try {
      await this.start();
      this.#restarted();
    } catch (error) {
      this.#child?.kill('SIGKILL');
      this.#lost(error instanceof Error ? error.message.replace(`${this.name} `, '') : String(error));
    }
  }
}

/** Returns the signal or exit code of a process; undefined while it runs. */
function ending(child: ChildProcess): string | undefined {
  if (child.signalCode !== null) return child.signalCode;
  return child.exitCode === null ? undefined : `code ${child.exitCode}`;
}
