import { expect, test } from 'vitest';
import { Reading } from './delivery.ts';

function start() {
  const told: unknown[] = [];
  const reading = new Reading({
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    broke: thrown => told.push(thrown),
  });
  return { reading, told };
}

test('steps run after the work in progress, and after any work that it begins', async () => {
  const { reading: order } = start();
  const seen: string[] = [];
  const outer = Promise.withResolvers<void>();
  const inner = Promise.withResolvers<void>();
  const outerOver = order.during(
    outer.promise.then(() => {
      seen.push('outer');
      void order.during(inner.promise.then(() => void seen.push('inner')));
    }),
  );
  order.run(() => seen.push('first'));
  order.run(() => seen.push('second'));
  outer.resolve();
  await outerOver;
  expect(seen).toEqual(['outer']);
  inner.resolve();
  await expect.poll(() => seen).toEqual(['outer', 'inner', 'first', 'second']);
  order.run(() => seen.push('third'));
  expect(seen.at(-1)).toBe('third');
});

test('what a step or work throws ends the attempt, and no other step is lost', async () => {
  const { reading, told } = start();
  const boom = new Error('boom');
  const fail = () => {
    throw boom;
  };
  reading.run(fail);
  const over = reading.during(Promise.reject(boom));
  reading.run(fail);
  reading.run(() => told.push('step'));
  await over;
  expect(told).toEqual([boom, 'pause', boom, boom, 'step', 'resume']);
});

test('reading goes on once no reason to pause is left', async () => {
  const { reading, told } = start();
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = [reading.pauseUntil(one.promise), reading.during(other.promise)];
  one.resolve();
  await over[0];
  expect(told).toEqual(['pause', 'pause']);
  other.resolve();
  await over[1];
  expect(told).toEqual(['pause', 'pause', 'resume']);
});
