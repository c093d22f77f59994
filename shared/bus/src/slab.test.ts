import { expect, test } from 'vitest';
import { ItemsById, Slab, SlabById } from './slab.ts';

test('a slab holds what was added and not removed, and uses places again', () => {
  const slab = new Slab<string>();
  const [a, b] = [slab.add('a'), slab.add('b')];
  slab.remove(a, 'a');
  slab.remove(a, 'a');
  expect(slab.size).toBe(1);
  expect(slab.add('c')).toBe(a);
  // The place belongs to another item now.
  slab.remove(a, 'a');
  expect([...slab]).toEqual(['c', 'b']);
  slab.remove(b, 'b');
  expect(slab.size).toBe(1);
});

test('an item may be removed while the others are visited', () => {
  const slab = new Slab<string>();
  const places = new Map(['a', 'b', 'c'].map(item => [item, slab.add(item)]));
  const seen: string[] = [];
  for (const item of slab) {
    seen.push(item);
    slab.remove(places.get(item) as number, item);
  }
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(slab.size).toBe(0);
});

test('items are found by their ids, however many there are', () => {
  const slab = new SlabById<string>();
  const ids = Array.from({ length: 1_000 }, (_, i) => slab.add(`item ${i}`));
  expect(new Set(ids).size).toBe(1_000);
  for (const [i, id] of ids.entries()) if (i % 2) slab.remove(id);
  for (const [i, id] of ids.entries()) expect(slab.get(id)).toBe(i % 2 ? undefined : `item ${i}`);
});

test('an id is not used again soon, and passes over those of items that stay', () => {
  const slab = new SlabById<string>();
  const stays = slab.add('stays');
  const first = slab.add('first');
  slab.remove(first);
  const later = Array.from({ length: 10_000 }, () => {
    const id = slab.add('later');
    slab.remove(id);
    return id;
  });
  expect(later).not.toContain(first);
  expect(slab.get(stays)).toBe('stays');
  expect(slab.get(0)).toBeUndefined();
});

test('items are kept by the ids of others, whatever these are', () => {
  const items = new ItemsById<string, number>();
  for (const [at, id] of ['__proto__', 'toString', '7'].entries()) items.set(id, at);
  items.set('7', 3);
  expect([items.size, items.get('__proto__'), items.get('toString'), items.get('7')]).toEqual([3, 0, 1, 3]);
  expect([items.get('constructor'), items.delete('constructor')]).toEqual([undefined, false]);
  expect([items.delete('toString'), items.delete('toString'), items.size]).toEqual([true, false, 2]);
  expect(items.values()).toEqual([3, 0]);
});
