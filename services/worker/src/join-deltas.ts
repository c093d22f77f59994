import type { GenerateEvent } from '@model-gateway/canonical';

/** Joins adjacent deltas of one part: a fast upstream sends many in one read. */
export function joinDeltas(events: readonly GenerateEvent[]): GenerateEvent[] {
  const joined: GenerateEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    const more = event.type === 'part-delta' && last?.type === 'part-delta';
    if (more && event.index === last.index && event.choice === last.choice)
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}

/** Runs steps in order, postponing them while earlier work is in progress. */
export class InOrder {
  /** Number of works in progress: one may begin another. */
  #busy = 0;
  readonly #later: (() => void)[] = [];

  /** Runs a step now, or after the work in progress. */
  run(step: () => void): void {
    if (this.#busy > 0) this.#later.push(step);
    else step();
  }

  /** Postpones steps until `work`, which must not reject, is done. Resolves when they ran or wait again. */
  async during(work: Promise<void>): Promise<void> {
    this.#busy++;
    await work;
    this.#busy--;
    while (this.#busy === 0) {
      const step = this.#later.shift();
      if (!step) return;
      step();
    }
  }
}
