import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { Accounts } from '../budgets/accounts.ts';
import type { Ask } from './ask.ts';
import { LimitLeader } from './leader.ts';
import type { FromLeader } from './messages.ts';

test('a process with many streams that end with their budgets hears of each budget, in messages that NATS takes', async () => {
  const answers: FromLeader[] = [];
  const source = {
    ask: async () => ({ spent: [], recorded: [], lagMs: 0 }),
    keep: async () => {},
    kept: async () => undefined,
  };
  const clock = new ManualClock();
  const leader = new LimitLeader(
    {
      term: 1,
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
    },
    clock,
  );
  const granted = Array.from({ length: 20_000 }, (_, id): Ask => {
    const key = JSON.stringify(['token', `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`]);
    const budgets = [{ key, amount: 1, from: 0, to: null, endsStreams: true as const }];
    return { id, counted: [], tokens: 0, costs: { budgets, amount: 0.1 } };
  });
  leader.read({ granted }, 'other');
  leader.read({ beat: granted.map(({ id }) => id) }, 'other');
  leader.stop();
  expect(answers.flatMap(({ spending }) => spending ?? [])).toHaveLength(granted.length);
  const sizes = answers.map(message => JSON.stringify(message).length);
  expect(Math.max(...sizes)).toBeLessThan(1_048_576);
});
