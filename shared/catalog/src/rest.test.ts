import { expect, test } from 'vitest';
import { parseRestKey, type Rest, readRest, restKey } from './rest.ts';
import { restId } from './route.ts';

const rest: Rest = {
  version: 2,
  provider: 'p',
  key: 'default',
  model: 'vendor/m:free',
  reason: 'failures',
  error: 'upstream',
  since: 1,
  until: 5_001,
  by: 'front',
  writtenAt: 5_002,
  probedAt: 5_002,
  lengthMs: 5_000,
};

test('a rest is read as it was written, without the fields of a later version', () => {
  expect(readRest(JSON.parse(JSON.stringify({ ...rest, later: true })))).toEqual(rest);
  const { key: _, model: __, ...ofProvider } = rest;
  expect(readRest(ofProvider)).toEqual(ofProvider);
});

test.each<[string, unknown]>([
  ['null', null],
  ['text', 'rest'],
  ['no provider', { ...rest, provider: undefined }],
  ['a model that is no text', { ...rest, model: 1 }],
  ['a time that no Date can hold', { ...rest, until: 1e300 }],
])('%s is not a rest', (_, value) => {
  expect(readRest(value)).toBeUndefined();
});

test('the key of a rest holds only characters that keys may, and leads back to its id', () => {
  expect(restKey(rest)).toMatch(/^[\w-]+$/);
  expect(parseRestKey(restKey(rest))).toBe(restId(rest));
});

test('a key and its targets have different ids, and so have the same names at other places', () => {
  const { model: _, ...ofKey } = rest;
  const ids = [rest, ofKey, { ...ofKey, key: '' }, { ...rest, provider: 'p2' }].map(restId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(restId({ provider: 'p' })).toBe(restId({ provider: 'p', key: '' }));
});
