import { expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';

/** Runs tasks of three steps at once, and returns the order in which the steps ran. */
async function orderOf(...tasks: { name: string; owner: string }[]): Promise<string[]> {
  const ran: string[] = [];
  await Promise.all(
    tasks.map(async ({ name, owner }) => {
      await nextTurn(undefined, owner, 'first');
      ran.push(`${name}1`);
      for (const step of [2, 3]) {
        await nextTurn(undefined, owner);
        ran.push(`${name}${step}`);
      }
    }),
  );
  return ran;
}

test('the tasks of one owner run one after another', async () => {
  const order = await orderOf({ name: 'a', owner: 'x' }, { name: 'b', owner: 'x' });
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
});

test('owners take turns, however many tasks one of them has', async () => {
  const order = await orderOf(
    { name: 'a', owner: 'x' },
    { name: 'b', owner: 'x' },
    { name: 'c', owner: 'y' },
  );
  expect(order).toEqual(['a1', 'c1', 'a2', 'c2', 'a3', 'c3', 'b1', 'b2', 'b3']);
});

test('each step runs in a separate turn of the event loop', async () => {
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await orderOf({ name: 'a', owner: 'x' }, { name: 'b', owner: 'y' });
  clearImmediate(immediate);
  expect(turns).toBeGreaterThanOrEqual(5);
});
