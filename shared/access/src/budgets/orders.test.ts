import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { Accounts } from './accounts.ts';
import type { Charged } from './budget.ts';

const budget: Charged = { key: '["token","a"]', amount: 1, from: 0, to: null, endsStreams: true };

/** Returns a generator of numbers below its argument (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** The accounts of a process, and a ledger that has attempts earlier or later than they are settled. */
class World {
  readonly clock = new ManualClock();
  readonly ledger = new Map<string, number>();
  readonly running: { id: string; reserved: number }[] = [];
  readonly unrecorded: { id: string; cost: number }[] = [];
  readonly unsettled: (() => void)[] = [];
  readonly answers: (() => void)[] = [];
  isSlow = false;
  begun = 0;
  spent = 0;
  readonly accounts = new Accounts(
    {
      ask: async ({ attempts }) => {
        const before = this.isSlow && Promise.withResolvers<void>();
        if (before) this.answers.push(before.resolve);
        if (before) await before.promise;
        const spent = [...this.ledger.values()].reduce((sum, cost) => sum + cost, 0);
        return { spent: [spent], recorded: attempts.filter(id => this.ledger.has(id)), lagMs: 0 };
      },
      keep: async () => {},
      kept: async () => undefined,
    },
    this.clock,
  );

  begin(reserved: number): void {
    this.running.push({ id: `attempt-${++this.begun}`, reserved });
    this.accounts.reserve({ token: 't', budgets: [budget], amount: reserved }, true);
  }

  /** Ends a request that cost a part of what it had reserved. `isEstimated`: its usage is not known. */
  end(at: number, part: number, isEstimated: boolean): void {
    const [request] = this.running.splice(at % this.running.length, 1);
    if (!request) return;
    const { id, reserved } = request;
    const cost = reserved * part;
    this.spent += cost;
    this.unrecorded.push({ id, cost });
    this.unsettled.push(() => {
      const estimate = isEstimated ? ({ cost: reserved, estimated: true } as const) : { cost };
      this.accounts.settle({ budgets: [budget], attempts: [id], ...estimate });
      this.accounts.free({ token: 't', budgets: [budget], amount: reserved }, true);
    });
  }

  settle(at: number): void {
    for (const settle of this.unsettled.splice(at % (this.unsettled.length || 1), 1)) settle();
  }

  record(at: number): void {
    for (const { id, cost } of this.unrecorded.splice(at % (this.unrecorded.length || 1), 1))
      this.ledger.set(id, cost);
  }

  async ask(): Promise<void> {
    await this.clock.advance(1_000);
    void this.accounts.refresh();
    await turn();
  }

  async answer(): Promise<void> {
    for (const answer of this.answers.splice(0)) answer();
    await turn();
  }
}

test('whatever comes first, no less is counted than was spent', async () => {
  for (let seed = 0; seed < 500; seed++) {
    const below = numbers(seed);
    const world = new World();
    await world.accounts.load([budget]);
    world.isSlow = true;
    for (let step = 0; step < 60; step++) {
      const kind = below(8);
      if (kind < 2) world.begin((1 + below(20)) / 100);
      else if (kind === 2) world.end(below(100), (1 + below(4)) / 4, below(2) === 0);
      else if (kind < 5) world.settle(below(100));
      else if (kind === 5) world.record(below(100));
      else if (kind === 6) await world.ask();
      else await world.answer();
      const { spent, reserved } = world.accounts.state(budget);
      expect(spent + reserved, `seed ${seed}`).toBeGreaterThan(world.spent - 1e-9);
    }
  }
});
