import { expect, test } from 'vitest';
import { InOrder } from './store.ts';

test('work on one key runs in order, also after a failure, and that on another runs meanwhile', async () => {
  const order = new InOrder();
  const ran: string[] = [];
  const ends = Promise.withResolvers<void>();
  const first = order.run('a', async () => {
    await ends.promise;
    ran.push('first');
    throw new Error('lost');
  });
  const second = order.run('a', async () => void ran.push('second'));
  await order.run('b', async () => void ran.push('other'));
  ends.resolve();
  await expect(first).rejects.toThrow('lost');
  await second;
  await order.run('a', async () => void ran.push('third'));
  expect(ran).toEqual(['other', 'first', 'second', 'third']);
});
