import { GatewayError } from '@model-gateway/canonical';
import { describe, expect, test, vi } from 'vitest';
import { Access, hashSecret, type TokenRecord, tokenKey } from './access.ts';
import type { TokenUse } from './scopes.ts';
import { createSecret } from './secret.ts';

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

function check(
  more: Partial<TokenRecord>,
  presented: string | undefined = secret,
  use?: TokenUse,
): TokenRecord | string {
  const access = new Access();
  access.put(key, { ...token, ...more });
  try {
    return access.check(presented, now, use);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return `${error.kind} ${error.details.code ?? '-'}: ${error.message}`;
  }
}

test('a secret is sk- and 256 random bits, and its hash is valid in a bucket key', () => {
  expect(secret).toMatch(/^sk-[\w-]{43}$/);
  expect(createSecret()).not.toBe(secret);
  expect(hashSecret('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});

test('check returns the token of a secret until it expires', () => {
  expect(check({})).toEqual({ ...token, secretHash: hashSecret(secret) });
  expect(check({ expiresAt: now + 1 })).toMatchObject({ id: 'a' });
  expect(check({ expiresAt: now })).toBe('unauthenticated invalid_api_key: This API key has expired.');
});

test.each([undefined, ''])('check reports a missing key for %j', presented => {
  const access = new Access();
  expect(() => access.check(presented, now)).toThrow(
    new GatewayError('unauthenticated', 'No API key was provided.'),
  );
});

test('check throws the same error for an unknown and a revoked token', () => {
  const refusal = 'unauthenticated invalid_api_key: Incorrect API key provided.';
  expect(check({ revoked: true })).toBe(refusal);
  expect(check({}, createSecret())).toBe(refusal);
  expect(check({}, hashSecret(secret))).toBe(refusal);
});

test('check knows each change of a token that was used before', () => {
  const access = new Access();
  const isAccepted = () => {
    try {
      return access.check(secret, now).id === 'a';
    } catch {
      return false;
    }
  };
  const changes = [{}, { disabled: true }, {}, { expiresAt: now }, {}, { revoked: true }];
  const seen = changes.map(more => {
    access.put(key, { ...token, ...more });
    return [isAccepted(), isAccepted()];
  });
  expect(seen.flat()).toEqual([true, true, false, false, true, true, false, false, true, true, false, false]);
  access.put(key, { ...token, expiresAt: now + 1 });
  expect(isAccepted()).toBe(true);
  expect(() => access.check(secret, now + 1)).toThrow('This API key has expired.');
  access.put(key, token);
  access.put('other.key', { id: 'x' });
  access.remove('other.key');
  expect(isAccepted()).toBe(true);
  access.remove(key);
  expect(isAccepted()).toBe(false);
});

test('check refuses a disabled token, and uses that the scopes of a token do not allow', () => {
  expect(check({ disabled: true })).toBe('unauthenticated invalid_api_key: This API key is disabled.');
  const use: TokenUse = { endpoint: 'chat', client: '10.0.0.1' };
  expect(check({ endpoints: ['chat'], allowedAddresses: ['10.0.0.0/8'] }, secret, use)).toMatchObject({
    id: 'a',
  });
  expect(check({ endpoints: ['images'] }, secret, use)).toBe(
    "forbidden endpoint_not_allowed: This API key may not use the endpoint 'chat'.",
  );
  expect(check({ allowedAddresses: ['192.0.2.0/24'] }, secret, use)).toBe(
    'forbidden address_not_allowed: This API key may not be used from this address.',
  );
});

test('check admits no client while the tokens are out of date', () => {
  const access = new Access();
  access.put(key, token);
  access.outOfDate = () => true;
  expect(() => access.check(secret, now)).toThrow('API keys cannot be checked at the moment.');
  // An unknown token is rejected as such.
  expect(() => access.check('sk-none', now)).toThrow('Incorrect');
});

describe('running work', () => {
  const held = (more: Partial<TokenRecord> = {}) => {
    const access = new Access();
    access.put(key, { ...token, ...more });
    const end = vi.fn<(reason: GatewayError) => void>();
    return { access, end, release: access.hold(access.check(secret, now), { end }) };
  };

  test.each<[string, (access: Access) => void]>([
    ['was revoked', access => access.put(key, { ...token, revoked: true })],
    ['was revoked', access => access.remove(key)],
    ['is disabled', access => access.put(key, { ...token, disabled: true })],
  ])('is ended when its token %s, and other work is not', (reason, change) => {
    const { access, end } = held();
    const other = vi.fn();
    access.hold({ secretHash: hashSecret('other') }, { end: other });
    change(access);
    const message = `This API key ${reason}.`;
    expect(end).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ kind: 'unauthenticated', message }),
    );
    expect(other).not.toHaveBeenCalled();
  });

  test('of one secret goes on when another secret of the same token is revoked', () => {
    const { access, end } = held();
    const other = tokenKey(hashSecret('other'));
    access.put(other, token);
    access.put(other, { ...token, revoked: true });
    expect(end).not.toHaveBeenCalled();
  });

  test('is ended when its token expires, even if the expiry was set later', () => {
    const { access, end } = held();
    access.put(key, { ...token, expiresAt: now + 1_000 });
    access.sweep(now + 999);
    expect(end).not.toHaveBeenCalled();
    access.sweep(now + 1_000);
    expect(end).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ kind: 'unauthenticated', message: 'This API key has expired.' }),
    );
  });

  test('that has finished is not ended', () => {
    const { access, end, release } = held();
    release();
    access.put(key, { ...token, revoked: true });
    expect(end).not.toHaveBeenCalled();
  });
});

describe('of several secrets that a request holds', () => {
  const second = createSecret();
  const foreign = 'sk-ant-api03-of-the-user';
  const access = (more: Partial<TokenRecord> = {}) => {
    const held = new Access();
    held.put(key, token);
    held.put(tokenKey(hashSecret(second)), { ...token, id: 'b', ...more });
    return held;
  };

  test.each([
    [[], undefined],
    [[foreign], foreign],
    [[secret, foreign], secret],
    [[foreign, secret], secret],
    [[foreign, 'AIza-of-the-user', secret], secret],
    [[foreign, 'other'], foreign],
  ])('%#: the one of a token counts, else the first', (secrets, expected) => {
    expect(access().choose(secrets, now)).toBe(expected);
  });

  test.each([
    ['revoked', { revoked: true }],
    ['disabled', { disabled: true }],
    ['expired', { expiresAt: now }],
  ])('one that was %s does not count beside a valid one', (_what, more) => {
    expect(access(more).choose([second, secret], now)).toBe(secret);
  });

  test('the valid secrets of one token are no conflict, those of two tokens are', () => {
    expect(access({ id: 'a' }).choose([second, secret], now)).toBe(second);
    expect(() => access().choose([secret, foreign, second], now)).toThrow(
      expect.objectContaining({ details: { param: 'authorization', code: 'conflicting_credentials' } }),
    );
  });
});
