import { expect, test } from 'vitest';
import { InOrder } from './join-deltas.ts';

test('steps run after the work in progress, and after any work that it begins', async () => {
  const order = new InOrder();
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
