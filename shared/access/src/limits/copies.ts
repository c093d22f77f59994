import type { Clock } from '@model-gateway/clock';
import type { Counters } from './counters.ts';
import type { CopiedCount, CopyPart } from './known-counts.ts';
import type { Counted } from './limits.ts';
import { type FromLeader, partsOf } from './messages.ts';

/** The ways of a leader to the other processes. */
export interface LeaderLine {
  /** False while nothing that is sent would arrive. */
  connected(): boolean;
  /** Sends a message to a process. */
  answer(to: string, message: FromLeader): void;
  /** Sends a message to all processes. */
  answerAll(message: FromLeader): void;
  /** Calls `missed` if NATS does not have the connection of a process. */
  probe(process: string, missed: () => void): void;
}

/**
 * The copies of a leader's counts at the other processes. They are told of each place before it can be used: messages, and the requests that
 * use it, leave by one connection, in their order. Some places are told ahead, so that few requests need a message.
 */
export class Copies {
  readonly #counters: Counters;
  readonly #line: LeaderLine;
  readonly #clock: Clock;
  readonly #term: number;
  #number = 0;

  constructor(counters: Counters, line: LeaderLine, term: number, clock: Clock) {
    this.#counters = counters;
    this.#line = line;
    this.#term = term;
    this.#clock = clock;
  }

  /** Tells what was granted and lent of limits, unless that was told ahead. */
  tell(counted: readonly Counted[], now: number): void {
    if (!this.#line.connected() || this.#counters.isTold(counted, now)) return;
    this.#send(this.#counters.tellAhead(counted, now));
  }

  /** Tells all that has changed, at least that there is nothing. */
  tellChanges(now: number): void {
    if (!this.#line.connected()) return;
    for (const part of partsOf(this.#counters.tellChanges(now), 'keys')) this.#send(part);
  }

  /** Sends a whole copy to a process, or to all. */
  tellAll(now: number, to?: string): void {
    if (!this.#line.connected()) return;
    // Those that have a copy must not miss what one more process is told.
    if (to !== undefined) this.tellChanges(now);
    const parts = partsOf(this.#counters.tellAll(now), 'keys');
    for (const [i, counts] of parts.entries()) {
      const left = parts.length - 1 - i;
      const copy = this.#part(counts, { left, ...(i === 0 && { first: true }) });
      if (to === undefined) this.#line.answerAll({ copy });
      else this.#line.answer(to, { copy });
    }
  }

  #send(counts: CopiedCount[]): void {
    if (counts.length > 0) this.#number++;
    this.#line.answerAll({ copy: this.#part(counts) });
  }

  #part(counts: CopiedCount[], whole?: Pick<CopyPart, 'left' | 'first'>): CopyPart {
    return { term: this.#term, number: this.#number, at: this.#clock.monotonic(), ...whole, counts };
  }
}
