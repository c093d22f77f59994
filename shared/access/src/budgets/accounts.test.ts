import { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Snapshot } from './account.ts';
import { Accounts } from './accounts.ts';
import type { Charged, Costs, SpendingAnswer, SpendingQuestion } from './budget.ts';

const budget: Charged = { key: '["token","a"]', amount: 1, from: 0, to: null, endsStreams: true };

/** A ledger that answers with what the test says. */
function accountsOver(
  answer: (question: SpendingQuestion) => Promise<SpendingAnswer> | SpendingAnswer,
  { kept, clock = new ManualClock() }: { kept?: Snapshot; clock?: ManualClock } = {},
): Accounts {
  const ask = async (question: SpendingQuestion) => answer(question);
  return new Accounts({ ask, keep: async () => {}, kept: async () => kept }, clock);
}

test('a leader that takes over while the ledger is behind counts the costs that the leader before knew', async () => {
  const ledger = new Map<string, number>();
  const answer = ({ attempts }: SpendingQuestion): SpendingAnswer => ({
    spent: [[...ledger.values()].reduce((sum, cost) => sum + cost, 0)],
    recorded: attempts.filter(id => ledger.has(id)),
    lagMs: 30_000,
  });
  const pending: Snapshot['pending'] = [
    ['one', 0.2],
    ['two', 0.3],
  ];
  const accounts = accountsOver(answer, { kept: { settled: 0.1, pending } });
  ledger.set('before', 0.1).set('one', 0.2);
  await accounts.load([budget]);
  expect(accounts.spent(budget)).toBeCloseTo(0.6);
  ledger.set('two', 0.3);
  await accounts.refresh();
  expect(accounts.spent(budget)).toBeCloseTo(0.6);
});

test('with an attempt that ends in each reading, what others spent counts, and each attempt once', async () => {
  const clock = new ManualClock();
  const recorded = new Map([['of-others', 0.5]]);
  let ended = 0;
  let isRecorded = true;
  const accounts = accountsOver(
    ({ attempts }) => {
      const id = `attempt-${++ended}`;
      accounts.settle({ budgets: [budget], cost: 0.01, attempts: [id] });
      if (isRecorded) recorded.set(id, 0.01);
      const spent = [...recorded.values()].reduce((sum, cost) => sum + cost, 0);
      return { spent: [spent], recorded: attempts.filter(each => recorded.has(each)), lagMs: 0 };
    },
    { clock },
  );
  await accounts.load([budget]);
  for (const inTime of [true, false, true, true, false, false]) {
    isRecorded = inTime;
    await clock.advance(3_000);
    await accounts.refresh();
    expect(accounts.spent(budget)).toBeCloseTo(0.5 + 0.01 * ended);
  }
});

test('an estimate is replaced with what the ledger has, though an attempt ends in each reading', async () => {
  const recorded = new Map<string, number>();
  let ended = 0;
  const accounts = accountsOver(({ attempts }) => {
    accounts.settle({ budgets: [budget], cost: 0.01, attempts: [`attempt-${++ended}`] });
    const spent = [...recorded.values()].reduce((sum, cost) => sum + cost, 0);
    return { spent: [spent], recorded: attempts.filter(id => recorded.has(id)), lagMs: 0 };
  });
  await accounts.load([budget]);
  for (let n = 0; n < 5; n += 1) {
    accounts.settle({ budgets: [budget], cost: 0.1, estimated: true, attempts: [`cut-${n}`] });
    recorded.set(`cut-${n}`, 0.02);
    await accounts.refresh();
  }
  const missing = 5 * 0.02 + 0.01 * ended - accounts.spent(budget);
  expect(missing).toBeGreaterThan(-0.001);
  // The ledger may have had the last attempt already.
  expect(missing).toBeLessThan(0.011);
});

test('an attempt whose cost is told after the ledger was read counts once', async () => {
  let spent = 0.1;
  let recorded: string[] = [];
  const accounts = accountsOver(() => ({ spent: [spent], recorded, lagMs: 0 }));
  await accounts.load([budget]);
  spent = 0.4;
  await accounts.refresh();
  expect(accounts.spent(budget)).toBeCloseTo(0.1);
  accounts.reserve({ token: 't', budgets: [budget], amount: 0.1 }, false);
  await accounts.refresh();
  expect(accounts.spent(budget)).toBeCloseTo(0.4);
  accounts.settle({ budgets: [budget], cost: 0.2, attempts: ['late'] });
  accounts.settle({ budgets: [budget], cost: 0.2, attempts: ['in time'] });
  expect(accounts.spent(budget)).toBeCloseTo(0.5);
  recorded = ['late'];
  await accounts.refresh();
  expect(accounts.spent(budget)).toBeCloseTo(0.6);
  recorded = ['late', 'in time'];
  spent = 0.6;
  await accounts.refresh();
  accounts.settle({ budgets: [budget], cost: 0.1, attempts: ['last'] });
  expect(accounts.spent(budget)).toBeCloseTo(0.7);
});

test('what a running request has cost so far counts as spent where nothing is left, and what others have reserved does not', async () => {
  const accounts = accountsOver(() => ({ spent: [0.3], recorded: [], lagMs: 0 }));
  await accounts.load([budget]);
  accounts.reserve({ token: 't', budgets: [budget], amount: 0.2 }, true);
  expect(accounts.overspent({ token: 't', budgets: [budget], amount: 0.2 })).toBeUndefined();
  accounts.reserve({ token: 't', budgets: [budget], amount: 0.6 }, false);
  expect(accounts.overspent({ token: 't', budgets: [budget], amount: 0.2 })).toMatchObject({
    amount: 1,
    spent: 0.5,
  });
});

test('streams end by a budget that ends them, also if one before it does not', async () => {
  const { endsStreams: _, ...kept } = budget;
  const goesOn: Charged = { ...kept, key: '["project","a"]' };
  const accounts = accountsOver(() => ({ spent: [0, 0], recorded: [], lagMs: 0 }));
  const costs: Costs = { token: 't', budgets: [goesOn, budget], amount: 1.5 };
  await accounts.load(costs.budgets);
  accounts.reserve(costs, true);
  expect(accounts.overspent(costs)?.key).toBe(budget.key);
  expect(accounts.overspent({ ...costs, budgets: [goesOn] })).toBeUndefined();
});

test('a request that can reserve more while it runs takes no more than is left, and others what they may cost', async () => {
  const accounts = accountsOver(() => ({ spent: [0.25], recorded: [], lagMs: 0 }));
  await accounts.load([budget]);
  const costs: Costs = { token: 't', budgets: [budget], amount: 5 };
  expect(accounts.fitted(costs)).toBe(costs);
  expect(accounts.fitted({ ...costs, grows: true })).toEqual({ ...costs, grows: true, amount: 0.75 });
  const small: Costs = { ...costs, grows: true, amount: 0.5 };
  expect(accounts.fitted(small)).toBe(small);
});

describe('of a budget of several tokens', () => {
  const shared: Charged = { ...budget, key: '["project","lab"]' };
  const costsOf = (token: string, amount: number, ...budgets: Charged[]): Costs => ({
    token,
    amount,
    budgets: budgets.length > 0 ? budgets : [shared],
  });
  let accounts: Accounts;
  beforeEach(async () => {
    accounts = accountsOver(() => ({ spent: [0, 0], recorded: [], lagMs: 0 }));
    await accounts.load([shared, budget]);
  });

  test('a token reserves at most a quarter while others run', () => {
    expect(accounts.refusing(costsOf('one', 50))).toBeUndefined();
    accounts.reserve(costsOf('other', 0.1), false);
    expect(accounts.refusing(costsOf('one', 0.3))).toMatchObject({ key: shared.key, ofOthers: true });
    expect(accounts.refusing(costsOf('one', 0.2))).toBeUndefined();
    accounts.reserve(costsOf('one', 0.2), true);
    expect(accounts.refusing(costsOf('one', 0.1))).toMatchObject({ ofOthers: true });
    expect(accounts.refusing(costsOf('one', 0.05))).toBeUndefined();
    expect(accounts.refusing(costsOf('third', 0.2))).toBeUndefined();
    accounts.free(costsOf('other', 0.1), false);
    expect(accounts.refusing(costsOf('one', 0.5))).toBeUndefined();
  });

  test('a token reserves all that is left while it runs alone, of its own budget also beside others', () => {
    accounts.reserve(costsOf('one', 0.2), false);
    expect(accounts.refusing(costsOf('one', 0.8))).toBeUndefined();
    expect(accounts.refusing(costsOf('one', 0.9))?.ofOthers).toBeUndefined();
    accounts.reserve(costsOf('other', 0.1), false);
    expect(accounts.refusing(costsOf('one', 0.7, budget))).toBeUndefined();
  });

  test('an ended request is no other one that runs, and one of a process of another version is', () => {
    accounts.settle({ budgets: [shared], cost: 0.1, estimated: true, attempts: ['left'] });
    expect(accounts.refusing(costsOf('one', 0.5))).toBeUndefined();
    accounts.reserve({ token: 't', budgets: [shared], amount: 0.1 }, false);
    expect(accounts.refusing({ token: 't', budgets: [shared], amount: 0.5 })).toBeUndefined();
    expect(accounts.refusing(costsOf('one', 0.5))).toMatchObject({ ofOthers: true });
  });
});
