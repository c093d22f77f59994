import { describe, expect, test } from 'vitest';
import { details, relativeTime, tableOf, textOf } from './cells.ts';

test.each([
  [-30, '30 seconds ago'],
  [-3 * 3_600 - 59, '3 hours ago'],
  [2 * 86_400, 'in 2 days'],
  [-400 * 86_400, '1 year ago'],
  [0, 'now'],
])('a time %d seconds away is %s', (seconds, text) => {
  expect(relativeTime(1_700_000_000_000 + seconds * 1_000, 1_700_000_000_000)).toBe(text);
});

describe('the value of a field', () => {
  test.each([
    [null, '-'],
    [true, 'yes'],
    [['a', 'b'], 'a, b'],
    [[], '-'],
    [{ amount: 100, period: 'month', endsStreams: false }, '100/month,streams-go-on'],
    [
      { requestsPerMinute: 5, models: { 'gpt-*': { concurrency: 1 } } },
      'requestsPerMinute=5,models(gpt-*(concurrency=1))',
    ],
    [{ sample: 1, redact: ['email', { name: 'employee', pattern: 'x' }] }, 'sample=1,redact=email+employee'],
    [{ set: true }, 'set'],
    [
      [
        { provider: 'p', model: 'm' },
        { provider: 'q', model: 'm' },
      ],
      'provider=p,model=m; provider=q,model=m',
    ],
  ])('%j is written as %s', (value, text) => {
    expect(textOf(value)).toBe(text);
  });
});

test('a record is shown with a line for each field, and without control characters', () => {
  expect(details({ id: 'x', lastUsedAt: null, models: null, note: 'a\u001b[2J' }, { models: 'all' })).toBe(
    'ID         x\nLAST USED  never\nMODELS     all\nNOTE       a�[2J',
  );
});

test('the heads of a table are the names of the fields', () => {
  expect(tableOf(['requestId', 'usage.cachedInput', ['TARGET', 'model']], [])).toBe(
    'REQUEST  CACHED INPUT  TARGET',
  );
});
