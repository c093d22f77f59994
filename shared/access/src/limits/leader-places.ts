import { lostMs } from '@model-gateway/bus';
import type { Counters } from './counters.ts';
import type { KnownPlaces, LeaderParts } from './leader-parts.ts';
import { partsOf } from './messages.ts';
import type { OtherProcesses } from './other-processes.ts';

/** The name of the leader's own process. */
export const self = 'self';

/** The places of a leader's requests: they last if another process becomes the leader while this one stands still. */
export class LeaderPlaces {
  readonly #counters: Counters;
  readonly #parts: LeaderParts;
  /** Those of the leader before, unless that handed everything over, or is this process. */
  readonly #before: KnownPlaces | undefined;
  #hasTold = false;

  constructor(counters: Counters, parts: LeaderParts, others: OtherProcesses) {
    this.#counters = counters;
    this.#parts = parts;
    const { places, handover, name } = parts;
    this.#before = handover || places?.from === name ? undefined : places;
    if (this.#before) others.expect(this.#before.from, this.#before.at);
  }

  /** Tells the others the places of its own requests; nothing if it has none, and had none. */
  tell(): void {
    const counts = new Map<string, number>();
    for (const { counted } of this.#counters.running(self))
      for (const { key, concurrency } of counted)
        if (concurrency !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
    if (counts.size === 0 && !this.#hasTold) return;
    this.#hasTold = counts.size > 0;
    const from = this.#parts.name;
    for (const [i, running] of partsOf([...counts], 'requests').entries())
      this.#parts.answerAll({ places: { from, running, ...(i === 0 && { first: true }) } });
  }

  /** Counts those of the leader before, if that has not told them itself. */
  hold(reported: ReadonlySet<string>, now: number): void {
    const before = this.#before;
    if (!before || reported.has(before.from) || now - before.at >= lostMs) return;
    for (const [id, [key, count]] of before.running.entries()) {
      const counted = Array(count).fill({ key, concurrency: count });
      this.#counters.resume(heldFor(before.from), { id, counted, tokens: 0 }, now, now);
    }
  }

  /** Frees those of a process that tells its own. */
  told(process: string, now: number): void {
    this.#counters.endAll(heldFor(process), now);
  }

  /** Ends the requests of a process that is lost. */
  lost(process: string, now: number): void {
    this.#counters.endAll(process, now);
    this.told(process, now);
  }
}

/** The name under which the places of a process are counted that has not told them. */
function heldFor(process: string): string {
  return `before ${process}`;
}
