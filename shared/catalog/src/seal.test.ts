import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { mapSealed, sealProvider, unsealProvider } from './record.ts';
import { deriveKey, notSealed, PoolSealer, PurposeSealer } from './seal.ts';

const key = randomBytes(32);
const other = randomBytes(32);
const providers = new PurposeSealer(key, 'providers');
const pool = new PoolSealer(key);

test('the keys for two purposes differ from each other and from their key, and are the same each time', () => {
  const keys = [key, deriveKey(key, 'providers'), deriveKey(key, 'sign-in'), deriveKey(other, 'providers')];
  expect(new Set(keys.map(each => Buffer.from(each).toString('hex'))).size).toBe(4);
  expect(deriveKey(key, 'providers')).toEqual(deriveKey(key, 'providers'));
});

test('unseal returns the sealed secret, and sealing a text twice gives different results', () => {
  const [one, two] = [providers.seal('openai', 'sk-žluť'), providers.seal('openai', 'sk-žluť')];
  expect(providers.unseal('openai', one)).toBe('sk-žluť');
  expect(one.sealed).toMatch(/^v2\.[\w-]+$/);
  expect(one.sealed).not.toBe(two.sealed);
});

test.each([
  [
    'another key',
    () => providers.unseal('openai', new PurposeSealer(other, 'providers').seal('openai', 'x')),
  ],
  [
    'another purpose',
    () => providers.unseal('openai', new PurposeSealer(key, 'sign-in').seal('openai', 'x')),
  ],
  ["another provider's name", () => providers.unseal('house', providers.seal('openai', 'x'))],
  [
    'a changed text',
    () => providers.unseal('openai', { sealed: `${providers.seal('openai', 'xyz').sealed.slice(0, -2)}AA` }),
  ],
  ['a cut text', () => providers.unseal('openai', { sealed: 'v2.AAAA' })],
  ['an unknown version', () => providers.unseal('openai', { sealed: 'v9.AAAA' })],
  ['a text for a pool', () => providers.unseal('openai', pool.seal('openai', 'x'))],
])('unseal throws for %s', (_name, attempt) => {
  expect(attempt).toThrow(/^a secret of provider "\w+" cannot be decrypted with this master key$/);
});

test('a secret is sealed for a pool to the same text each time, and to another for another pool, owner or secret', () => {
  const texts = [
    new PoolSealer(key).seal('openai', 'sk-one'),
    new PoolSealer(other).seal('openai', 'sk-one'),
    pool.seal('house', 'sk-one'),
    pool.seal('openai', 'sk-two'),
  ].map(({ sealed }) => sealed);
  expect(new Set(texts).size).toBe(4);
  expect(pool.seal('openai', 'sk-one').sealed).toBe(texts[0]);
  expect(pool.unseal('openai', { sealed: texts[0] as string })).toBe('sk-one');
});

test.each([
  [
    'a key of another pool',
    new PoolSealer(other).seal('a', 'x'),
    /cannot be opened with the key of this pool/,
  ],
  ['no key of the pool', { sealed: notSealed.noPoolKey }, /control has no key of the pool/],
  ['another master key', { sealed: notSealed.unreadable }, /must be entered again/],
  ["control's own key", providers.seal('a', 'x'), /is not sealed for this pool/],
])('a worker says why a secret does not open: %s', (_name, sealed, reason) => {
  expect(() => pool.unseal('a', sealed)).toThrow(reason);
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
  const stored = sealProvider(providers, provider);
  expect(JSON.stringify(stored)).not.toContain('in-clear');
  expect(unsealProvider(providers, stored)).toEqual(provider);
});

test('every secret of a provider is mapped, and nothing else', () => {
  const provider = {
    name: 'house',
    kind: 'openai-compatible' as const,
    baseUrl: 'http://house/v1',
    apiKeys: [{ key: { value: 'sk-one' } }, { key: { env: 'TWO' } }, { key: { value: 'sk-three' } }],
    headers: { 'x-key': 'secret', 'x-other': { file: '/run/secrets/other' } },
    proxy: { url: 'http://proxy:3128', username: 'me', password: { value: 'pass' } },
    pool: 'eu',
  };
  const own = { ...sealProvider(providers, provider), version: 7 };
  const seen: string[] = [];
  const forPool = mapSealed(own, sealed => {
    const secret = providers.unseal('house', sealed);
    seen.push(secret);
    return pool.seal('house', secret);
  });
  expect(seen.sort()).toEqual(['pass', 'secret', 'sk-one', 'sk-three']);
  expect(unsealProvider(pool, forPool)).toEqual({ ...provider, version: 7 });
});

test.each([{ env: 'KEY' }, { file: '/run/key' }])(
  'sealProvider leaves the reference %j unchanged',
  apiKey => {
    const provider = { name: 'a', kind: 'openai' as const, apiKey, headers: {}, pool: 'default' };
    expect(sealProvider(providers, provider)).toEqual(provider);
  },
);
