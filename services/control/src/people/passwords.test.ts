import { expect, test } from 'vitest';
import { Passwords, randomPassword } from './passwords.ts';

const passwords = new Passwords();

test('a password matches its own hash alone, which differs each time', async () => {
  const [one, two] = [await passwords.hash('correct horse'), await passwords.hash('correct horse')];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await passwords.matches('correct horse', one)).toBe(true);
  expect(await passwords.matches('correct horse!', one)).toBe(false);
  expect(await passwords.matches('correct horse', null)).toBe(false);
  expect(await passwords.matches('correct horse', 'not a hash')).toBe(false);
});

test('a password has one spelling, however it was typed', async () => {
  const hash = await passwords.hash('pa\u0308ssword');
  expect(await passwords.matches('p\u00e4ssword', hash)).toBe(true);
});

test('a user without a password takes as long as one with a password', async () => {
  const stored = await passwords.hash(randomPassword());
  const best = { with: Number.POSITIVE_INFINITY, without: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 12; round++)
    for (const [kind, hash] of [
      ['with', stored],
      ['without', null],
    ] as const) {
      // The work of other processes adds nothing to CPU time.
      const began = process.cpuUsage();
      await passwords.matches('wrong', hash);
      const { user, system } = process.cpuUsage(began);
      best[kind] = Math.min(best[kind], user + system);
    }
  expect(best.without).toBeGreaterThan(best.with / 2);
  expect(best.without).toBeLessThan(best.with * 2);
});

test('more passwords than can be checked soon are refused', async () => {
  const cheap = new Passwords({ memory: 8, passes: 1, parallelism: 1 });
  const asked = Array.from({ length: 80 }, () => cheap.matches('x', null).catch(error => error.kind));
  const answers = await Promise.all(asked);
  expect(answers.filter(answer => answer === 'overloaded')).toHaveLength(80 - 2 - 64);
  expect(await cheap.matches('x', null)).toBe(false);
});
