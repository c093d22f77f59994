import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Accounts } from '../budgets/accounts.ts';
import { LimitLeader } from './leader.ts';
import type { Ask, Decision, FromLeader } from './messages.ts';

const source = {
  ask: async () => ({ spent: [], recorded: [], lagMs: 0 }),
  keep: async () => {},
  kept: async () => undefined,
};

const answers: FromLeader[] = [];
/** The processes whose connection NATS does not have. */
const closed = new Set<string>();
let clock: ManualClock;
let leader: LimitLeader;
beforeEach(() => {
  answers.length = 0;
  closed.clear();
  clock = new ManualClock();
  leader = new LimitLeader(
    {
      term: 1,
      name: 'test.leader',
      slots: undefined,
      own: { running: [] },
      handover: undefined,
      knows: { term: 0, number: 0 },
      known: () => ({ term: 0, number: 0, past: [] }),
      isLeading: () => true,
      isAfterCut: false,
      connected: () => true,
      arrived: async () => {},
      openAccounts: () => new Accounts(source, clock),
      answer: (_, message) => answers.push(message),
      answerAll() {},
      probe(process, missed) {
        if (closed.has(process)) missed();
      },
    },
    clock,
  );
});
afterEach(() => leader.stop());

test('a process with many streams that end with their budgets hears of each budget, in messages that NATS takes', () => {
  const granted = Array.from({ length: 20_000 }, (_, id): Ask => {
    const key = JSON.stringify(['token', `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`]);
    const budgets = [{ key, amount: 1, from: 0, to: null, endsStreams: true as const }];
    return { id, counted: [], tokens: 0, costs: { token: 't', budgets, amount: 0.1 } };
  });
  leader.read({ granted }, 'other');
  leader.read({ beat: granted.map(({ id }) => id) }, 'other');
  leader.stop();
  expect(answers.flatMap(({ spending }) => spending ?? [])).toHaveLength(granted.length);
  const sizes = answers.map(message => JSON.stringify(message).length);
  expect(Math.max(...sizes)).toBeLessThan(1_048_576);
});

const limited: Ask = { id: 1, counted: [{ key: '["token","t"]', concurrency: 1 }], tokens: 0 };
const costs = { token: 't', budgets: [{ key: '["token","t"]', amount: 1, from: 0, to: null }], amount: 1 };
/** A request of another process that uses up a limit and a budget. */
const running = { report: { running: [{ ask: { ...limited, costs }, ageMs: 0 }] } };

/** Returns whether a request of the leader's process with the limit, and one with the budget, are refused. */
async function refusals(): Promise<boolean[]> {
  const decisions: (Decision | undefined)[] = [
    await leader.decide({ ...limited, id: 2 }),
    await leader.decide({ id: 3, counted: [], tokens: 0, costs }),
  ];
  for (const id of [2, 3]) leader.end([id]);
  return decisions.map(decision => (decision?.exceeded ?? decision?.overspent) !== undefined);
}

test('slots and reservations of a silent process last for 20 s', async () => {
  await clock.advance(2_000);
  expect(await refusals()).toEqual([false, false]);
  leader.read(running, 'other');
  for (const ms of [0, 4_000, 11_000, 4_500]) {
    await clock.advance(ms);
    expect(await refusals()).toEqual([true, true]);
  }
  await clock.advance(750);
  expect(await refusals()).toEqual([false, false]);
});

test('slots and reservations of a process whose connection is closed are free within 3 s of its last message', async () => {
  await clock.advance(2_000);
  leader.read(running, 'other');
  closed.add('other');
  expect(await refusals()).toEqual([true, true]);
  await clock.advance(3_000);
  expect(await refusals()).toEqual([false, false]);
});

test('a leader that stood still frees the slots of nobody before it has read what came meanwhile', async () => {
  await clock.advance(2_000);
  leader.read(running, 'other');
  clock.jump(60_000);
  expect(await refusals()).toEqual([true, true]);
  leader.read({ beat: [1] }, 'other');
  await clock.advance(1_000);
  expect(await refusals()).toEqual([true, true]);
});
