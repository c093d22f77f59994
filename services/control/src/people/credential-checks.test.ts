import { GatewayError } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { CredentialChecks, mostRefusals } from './credential-checks.ts';

const { atOnce, perSecond } = mostRefusals;

function setUp() {
  const clock = new ManualClock();
  const checks = new CredentialChecks(clock);
  let checked = 0;
  const refuse = async () => {
    checked++;
    throw new GatewayError('unauthenticated', 'no');
  };
  /** Returns the kind of error that each of many wrong credentials gets at once. */
  const guess = async (times: number, address = '192.0.2.1', secret?: string) =>
    Promise.all(
      Array.from({ length: times }, (_, i) =>
        checks.run(address, secret ?? `guess-${i}`, refuse).catch(({ kind }) => kind as string),
      ),
    );
  const valid = (secret: string, address = '192.0.2.1') => checks.run(address, secret, async () => secret);
  return { clock, checks, guess, valid, checked: () => checked };
}

test('an address is refused before its credential is checked once too many were invalid, and for a short time', async () => {
  const { clock, checks, guess, valid, checked } = setUp();
  expect(new Set(await guess(atOnce))).toEqual(new Set(['unauthenticated']));
  expect(await guess(3)).toEqual(Array(3).fill('rate-limited'));
  expect(checked()).toBe(atOnce);
  await expect(checks.run('192.0.2.1', undefined, async () => 1)).rejects.toMatchObject({
    kind: 'rate-limited',
    details: { retryAfterMs: 1_000 / perSecond },
  });
  await expect(valid('new')).rejects.toThrow('Too many requests');
  await clock.advance(1_000);
  expect(await valid('new')).toBe('new');
  expect((await guess(perSecond + 5)).filter(kind => kind === 'unauthenticated')).toHaveLength(perSecond);
});

test('a credential that was valid is checked whatever its address did, until it is invalid', async () => {
  const { guess, valid } = setUp();
  await valid('mine');
  await guess(atOnce + 10);
  expect(await valid('mine')).toBe('mine');
  expect(await valid('mine')).toBe('mine');
  expect(await guess(1, '192.0.2.1', 'mine')).toEqual(['unauthenticated']);
  await expect(valid('mine')).rejects.toThrow('Too many requests');
});

test('addresses count for themselves, and those of one /64 together', async () => {
  const { guess } = setUp();
  await guess(atOnce, '2001:db8::1');
  expect(await guess(1, '2001:db8::2')).toEqual(['rate-limited']);
  expect(await guess(1, '2001:db8:0:1::1')).toEqual(['unauthenticated']);
});

test('valid credentials and errors of another kind count nothing', async () => {
  const { checks, guess, valid } = setUp();
  for (let i = 0; i < atOnce; i++) {
    await valid(`valid-${i}`);
    await checks.run('192.0.2.1', 'x', async () => Promise.reject(new Error('away'))).catch(() => {});
  }
  expect(new Set(await guess(atOnce))).toEqual(new Set(['unauthenticated']));
});

test('many addresses make those that asked first be forgotten, and no more', async () => {
  const { guess } = setUp();
  await guess(atOnce, '192.0.2.1');
  await guess(atOnce, '192.0.2.2');
  for (let i = 0; i < 9_999; i++) await guess(1, `10.${i >> 8}.${i & 255}.1`);
  expect(await guess(1, '192.0.2.2')).toEqual(['rate-limited']);
  expect(await guess(1, '192.0.2.1')).toEqual(['unauthenticated']);
});
