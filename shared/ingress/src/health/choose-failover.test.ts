import type { Route } from '@model-gateway/canonical';
import type { ManualClock } from '@model-gateway/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { deliverOver, route, startHealth } from '../testing/deliver-over.ts';
import { longestDoubtMs } from './choose-failover.ts';
import { retryShare, spareRetries } from './retry-budget.ts';
import type { TargetHealth } from './target-health.ts';

const [a, b, c] = ['a', 'b', 'c'].map(route) as [Route, Route, Route];
const failed = (provider: string) => ({ upstream: { provider, status: 500 } });

let clock: ManualClock;
let health: TargetHealth;
let delivered: ReturnType<typeof deliverOver>[];
beforeEach(() => {
  ({ clock, health } = startHealth());
  delivered = [];
});

const send = (routes: readonly Route[], retries = 0, stream = true) => {
  const delivery = deliverOver([...routes], { retries, stream }, health);
  delivered.push(delivery);
  return delivery;
};

const useUpBudget = () => {
  while (health.retries.take('retry'));
};

describe('an upstream that answers after 10 ms', () => {
  /** Number of attempts of each delivery that were answered. */
  let answered: Map<ReturnType<typeof deliverOver>, number>;
  beforeEach(() => {
    answered = new Map();
  });

  async function passes(fails: (provider: string) => boolean): Promise<void> {
    await clock.advance(10);
    for (const delivery of delivered) {
      const known = answered.get(delivery) ?? 0;
      const asked = delivery.asked.length;
      answered.set(delivery, asked);
      for (let i = known; i < asked; i++) {
        const provider = delivery.providers()[i] as string;
        if (fails(provider)) delivery.fail(i, failed(provider));
        else delivery.finish(i);
      }
    }
  }

  /** Runs until no request waits for an answer or a retry, and returns the number of attempts and of errors. */
  async function runOut(fails: (provider: string) => boolean) {
    for (let quiet = 0, attempts = 0; quiet < 200; ) {
      await passes(fails);
      const now = delivered.reduce((sum, { asked }) => sum + asked.length, 0);
      quiet = now === attempts ? quiet + 1 : 0;
      attempts = now;
    }
    const errors = await Promise.all(delivered.map(({ ended }) => ended));
    return {
      attempts: delivered.reduce((sum, { asked }) => sum + asked.length, 0),
      errors: errors.filter(Boolean).length,
    };
  }

  const orders = {
    'in one order': () => [a, b, c],
    'spread over them': (n: number) => rotated([a, b, c], n),
  };
  for (const [how, order] of Object.entries(orders)) {
    test(`400 requests of 12 clients to three targets that fail, ${how}, make a fifth more attempts, and few others`, async () => {
      const began = clock.monotonic();
      for (let n = 0; n < 400; n++) {
        send(order(n), 2);
        if (n % 12 === 11) await passes(() => true);
      }
      const seconds = (clock.monotonic() - began) / 1_000;
      const { attempts, errors } = await runOut(() => true);
      expect(errors).toBe(400);
      // A retry waits for half a second at most.
      expect(attempts).toBeLessThanOrEqual(400 * (1 + retryShare) + spareRetries + seconds + 1);
    });

    test(`400 requests at once to three targets that fail, ${how}, do so, too`, async () => {
      for (let n = 0; n < 400; n++) send(order(n), 2);
      const { attempts, errors } = await runOut(() => true);
      expect(errors).toBe(400);
      expect(attempts).toBeLessThanOrEqual(400 * (1 + retryShare) + spareRetries + 1);
    });

    test(`200 requests at once to three targets of which one fails, ${how}, are all answered`, async () => {
      for (const dead of ['a', 'b', 'c']) {
        ({ clock, health } = startHealth());
        delivered = [];
        answered = new Map();
        for (let n = 0; n < 200; n++) send(order(n));
        expect((await runOut(provider => provider === dead)).errors).toBe(0);
      }
    });

    test(`200 requests at once to three targets of which two fail, ${how}, are all answered`, async () => {
      for (let n = 0; n < 200; n++) send(order(n));
      expect((await runOut(provider => provider !== 'c')).errors).toBe(0);
    });
  }
});

function rotated(routes: Route[], by: number): Route[] {
  const first = by % routes.length;
  return [...routes.slice(first), ...routes.slice(0, first)];
}

/** Makes a target fail once. */
const fails = (target: Route) => {
  send([target]).fail(0, failed(target.provider));
};

test('a target that fails is not asked beyond the budget, and one that does not is', async () => {
  fails(b);
  useUpBudget();
  const { fail, providers, ended } = send([a, b, c]);
  fail(0, failed('a'));
  expect(providers()).toEqual(['a', 'c']);
  fail(1, failed('c'));
  expect(await ended).toMatchObject({ kind: 'upstream', message: 'No 1.' });
  expect(providers()).toEqual(['a', 'c']);
});

test('a target whose rest is over fails until it has answered', async () => {
  for (let i = 0; i < 3; i++) fails(b);
  await clock.advance(60_000);
  useUpBudget();
  const refused = send([a, b]);
  refused.fail(0, failed('a'));
  expect(await refused.ended).toMatchObject({ kind: 'upstream' });
  send([b]).finish(0);
  const taken = send([a, b]);
  taken.fail(0, failed('a'));
  expect(taken.providers()).toEqual(['a', 'b']);
});

test('a failure of long ago does not count', async () => {
  fails(b);
  await clock.advance(31_000);
  useUpBudget();
  const { fail, providers } = send([a, b]);
  fail(0, failed('a'));
  expect(providers()).toEqual(['a', 'b']);
});

test('beyond the budget, a request waits for the first outcome of a target that is asked and not known', async () => {
  const probe = send([b]);
  useUpBudget();
  const waiting = [send([a, b]), send([a, b])];
  for (const { fail } of waiting) fail(0, failed('a'));
  expect(waiting.map(({ providers }) => providers())).toEqual([['a'], ['a']]);
  probe.finish(0);
  expect(waiting.map(({ providers }) => providers())).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ]);
});

test('a request that waits for an outcome gets the error of its own target if the other one fails, too', async () => {
  const probe = send([b]);
  useUpBudget();
  const { fail, providers, ended } = send([a, b]);
  fail(0, failed('a'));
  probe.fail(0, failed('b'));
  expect(await ended).toMatchObject({ kind: 'upstream' });
  expect(providers()).toEqual(['a']);
});

test('a request waits for an outcome for a second at most, and not once its client has left', async () => {
  send([b]);
  useUpBudget();
  const [slow, left] = [send([a, b]), send([a, b])];
  for (const { fail } of [slow, left]) fail(0, failed('a'));
  left.sink.emit('close');
  await clock.advance(longestDoubtMs - 1);
  expect(slow.providers()).toEqual(['a']);
  await clock.advance(1);
  expect([slow.providers(), left.providers()]).toEqual([['a', 'b'], ['a']]);
});

test('if the attempt that a request waits for ends without an outcome, the request finds out itself', () => {
  const probe = send([b]);
  useUpBudget();
  const waiting = [send([a, b]), send([a, b])];
  for (const { fail } of waiting) fail(0, failed('a'));
  probe.sink.emit('close');
  expect(waiting.map(({ providers }) => providers())).toEqual([['a', 'b'], ['a']]);
  waiting[0]?.finish(1);
  expect(waiting[1]?.providers()).toEqual(['a', 'b']);
});
