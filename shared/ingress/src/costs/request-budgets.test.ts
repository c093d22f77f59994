import type { Budget, Charged, Overspent, Token } from '@model-gateway/access';
import type { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test, vi } from 'vitest';
import { budgetsOf, endWhenSpent } from './request-budgets.ts';

const budget: Budget = { amount: 1, period: 'day', endsStreams: true };
const token = { id: 't', project: 'p', budget } as Token;
const catalog = { budgetOf: () => undefined, userBudgetOf: () => undefined };
const deps = { access: { latest: () => token }, catalog, clock: new ManualClock() };

function start() {
  const end = vi.fn<(reason: GatewayError) => void>();
  const ending = endWhenSpent(deps, token, end);
  const [charged] = budgetsOf(deps, token) as [Charged];
  return { ...ending, end, charged };
}

test('a stream ends once its budget is spent', () => {
  const { onSpending, end, charged } = start();
  const { key, from } = charged;
  onSpending({ key, from, spent: 0.9 });
  expect(end).not.toHaveBeenCalled();
  onSpending({ key, from, spent: 1 });
  expect(end.mock.lastCall?.[0]).toMatchObject({ kind: 'quota-exceeded' });
});

test('what was spent in an earlier period does not end a stream in the next one', () => {
  const { onSpending, end, charged } = start();
  onSpending({ key: charged.key, from: charged.from - 86_400_000, spent: 5 });
  expect(end).not.toHaveBeenCalled();
});

test('a stream that ends because others have reserved the rest is told that it may be retried', () => {
  const { overspent, end, charged } = start();
  const over: Overspent = { ...charged, spent: 0.2 };
  overspent(over);
  expect(end.mock.lastCall?.[0]).toMatchObject({ kind: 'rate-limited' });
  overspent({ ...over, spent: 1.1 });
  expect(end.mock.lastCall?.[0]).toMatchObject({ kind: 'quota-exceeded' });
});
