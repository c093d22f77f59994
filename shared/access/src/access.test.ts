import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { Access } from './access.ts';
import { createSecret, hashSecret, type TokenRecord, tokenKey } from './token.ts';

const now = 1_800_000_000_000;
const secret = createSecret();
const key = tokenKey(hashSecret(secret));
const token: TokenRecord = {
  version: 1,
  id: 'a',
  name: 'first',
  project: 'default',
  expiresAt: null,
  revoked: false,
};

function check(more: Partial<TokenRecord>, given: string | undefined = secret): TokenRecord | string {
  const access = new Access();
  access.put(key, { ...token, ...more });
  try {
    return access.check(given, now);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.kind} ${error.details.code ?? '-'}: ${error.message}`;
  }
}

test('a secret is sk- and 256 random bits, and its hash one that a key can hold', () => {
  expect(secret).toMatch(/^sk-[\w-]{43}$/);
  expect(createSecret()).not.toBe(secret);
  expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});

test('knows a token by its secret, until the moment it expires', () => {
  expect(check({})).toEqual(token);
  expect(check({ expiresAt: now + 1 })).toMatchObject({ id: 'a' });
  expect(check({ expiresAt: now })).toBe('unauthenticated invalid_api_key: This API key has expired.');
});

test.each([undefined, ''])('says that a key is missing when given %j', given => {
  const access = new Access();
  expect(() => access.check(given, now)).toThrow(
    new GatewayError('unauthenticated', 'No API key was provided.'),
  );
});

test('does not tell an unknown token from a revoked one', () => {
  const refusal = 'unauthenticated invalid_api_key: Incorrect API key provided.';
  expect(check({ revoked: true })).toBe(refusal);
  expect(check({}, createSecret())).toBe(refusal);
  expect(check({}, hashSecret(secret))).toBe(refusal);
});

test('follows changes, and forgets what was removed', () => {
  const access = new Access();
  access.put(key, token);
  access.put('other.key', { id: 'x' });
  access.remove('other.key');
  expect(access.check(secret, now).id).toBe('a');
  access.remove(key);
  expect(() => access.check(secret, now)).toThrow('Incorrect');
});
