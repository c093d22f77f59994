import { expect, test } from 'vitest';
import { PartQueue } from './endpoint.ts';

test('parts come in the order of their indexes, of which some may be missing', () => {
  const queue = new PartQueue<string>();
  for (const [index, part] of [
    [1, 'a'],
    [2, 'b'],
    [5, 'c'],
  ] as const)
    queue.add(index, part);
  expect([queue.get(2), ...queue.all()]).toEqual(['b', 'a', 'b', 'c']);
  const taken: unknown[] = [];
  for (let { first } = queue; first; first = queue.first) {
    taken.push(first);
    queue.removeFirst();
  }
  expect(taken).toEqual(['a', 'b', 'c']);
  queue.add(0, 'again');
  queue.add(6, 'd');
  expect(queue.first).toBe('again');
});
