import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { sealProvider, unsealProvider } from './record.ts';
import { seal, unseal } from './seal.ts';

const key = randomBytes(32);
const other = randomBytes(32);

test('unseal returns the sealed secret, and sealing a text twice gives different results', () => {
  const [one, two] = [seal(key, 'openai', 'sk-žluť'), seal(key, 'openai', 'sk-žluť')];
  expect(unseal(key, 'openai', one)).toBe('sk-žluť');
  expect(one.sealed).toMatch(/^v1\.[\w-]+$/);
  expect(one.sealed).not.toBe(two.sealed);
});

test.each([
  ['another key', () => unseal(other, 'openai', seal(key, 'openai', 'x'))],
  ["another provider's name", () => unseal(key, 'house', seal(key, 'openai', 'x'))],
  [
    'a changed text',
    () => unseal(key, 'openai', { sealed: `${seal(key, 'openai', 'xyz').sealed.slice(0, -2)}AA` }),
  ],
  ['a cut text', () => unseal(key, 'openai', { sealed: 'v1.AAAA' })],
  ['an unknown version', () => unseal(key, 'openai', { sealed: 'v9.AAAA' })],
])('unseal throws for %s', (_name, attempt) => {
  expect(attempt).toThrow(/^a secret of provider "\w+" cannot be decrypted with this master key$/);
});

test('a stored provider contains no secret in plain text and unseals to the original', () => {
  const provider = {
    name: 'house',
    kind: 'openai-compatible' as const,
    baseUrl: 'http://house/v1',
    apiKey: { value: 'sk-in-clear' },
    headers: { 'x-key': 'in-clear-too' },
    pool: 'default',
  };
  const stored = sealProvider(key, provider);
  expect(JSON.stringify(stored)).not.toContain('in-clear');
  expect(unsealProvider(key, stored)).toEqual(provider);
});

test.each([{ env: 'KEY' }, { file: '/run/key' }])(
  'sealProvider leaves the reference %j unchanged',
  apiKey => {
    const provider = { name: 'a', kind: 'openai' as const, apiKey, headers: {}, pool: 'default' };
    expect(sealProvider(key, provider)).toEqual(provider);
  },
);
