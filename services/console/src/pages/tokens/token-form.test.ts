import type { TokenInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { changesOf } from '../layout/use-record-form.ts';
import { localTime, utcTime } from '../settings-form/expiry-field.tsx';
import { newTokenOf, type TokenSettings } from './token-form.tsx';

const token = {
  ...{ name: 'ci', project: 'search', owner: 'ada', expiresAt: '2030-01-31T12:00:30Z' },
  ...{ models: ['gpt-*'], endpoints: ['chat', 'responses'], allowedAddresses: null },
  ...{ limits: { requestsPerMinute: 10 }, budget: { amount: 5, period: 'day' }, tags: { team: 'search' } },
} satisfies Partial<TokenInfo> as TokenSettings;
const changeOf = (part: Partial<TokenSettings>) =>
  changesOf(newTokenOf(token), newTokenOf({ ...token, ...part }));

test('a form sends the fields that it changes, and null for what it removes', () => {
  expect(changeOf({})).toEqual({});
  expect(changeOf({ name: 'ci-2 ', owner: '', budget: null })).toEqual({
    ...{ name: 'ci-2', owner: null, budget: null },
  });
});

test('a token that may use no model does not become one that may use every model', () => {
  expect(changeOf({ models: [] })).toEqual({ models: [] });
});

test('an empty project is left to the gateway', () => {
  expect(newTokenOf({ ...token, project: ' ' })).not.toHaveProperty('project');
});

test('an expiry is typed in the time zone of the browser, and an empty field is never', () => {
  expect(utcTime(localTime('2030-01-31T12:00:00.000Z'))).toBe('2030-01-31T12:00:00.000Z');
  expect(utcTime('')).toBeNull();
});
