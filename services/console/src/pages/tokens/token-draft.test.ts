import type { TokenInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { changeOf, draftOf, emptyDraft, localTime, newTokenOf } from './token-draft.ts';

const token: TokenInfo = {
  ...{ id: 't1', name: 'ci', project: 'search', owner: 'ada', prefix: 'sk-abc', disabled: false },
  ...{ createdAt: '2026-01-01T00:00:00Z', lastUsedAt: null, expiresAt: '2030-01-31T12:00:30Z' },
  ...{ models: ['gpt-*'], endpoints: ['chat', 'responses'], allowedAddresses: null },
  ...{ limits: { requestsPerMinute: 10 }, budget: { amount: 5, period: 'day' }, tags: { team: 'search' } },
};

test('a form that changes nothing sends nothing, even if the seconds of the expiry do not fit its field', () => {
  expect(changeOf(draftOf(token), draftOf(token))).toEqual({});
});

test('a form sends the fields that it changes, and null for what it removes', () => {
  const draft = draftOf(token);
  const budget = { ...draft.budget, amount: '' as const };
  const change = changeOf(draft, { ...draft, name: 'ci-2', owner: '', budget });
  expect(change).toEqual({ name: 'ci-2', owner: null, budget: null });
});

test('a token that may use no model does not become one that may use every model', () => {
  const draft = draftOf({ ...token, models: [] });
  expect(newTokenOf(draft).models).toEqual([]);
});

test('an empty form restricts nothing, and leaves the project to the gateway', () => {
  expect(newTokenOf({ ...emptyDraft, name: ' ci ' })).toEqual({
    ...{ name: 'ci', owner: null, expiresAt: null, models: null, endpoints: null, allowedAddresses: null },
    ...{ limits: null, budget: null, tags: {} },
  });
});

test('an expiry is typed in the time zone of the browser', () => {
  const at = new Date('2030-01-31T12:00:00Z');
  expect(newTokenOf({ ...emptyDraft, expiresAt: localTime(at) }).expiresAt).toBe(at.toISOString());
});
