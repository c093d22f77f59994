import { expect, test } from 'vitest';
import { type Refused, Slots } from './slots.ts';

/** A token; all tokens of these tests are of one project. */
const owner = (id: string) => ({ id, project: 'p' });

/** Takes places for a token until it is refused; returns their number and the limit. */
function fill(places: Slots, token: string, bytes = 0): [number, Refused | undefined] {
  let got = 0;
  for (; !places.refuses(owner(token), bytes, 0); got++) places.take(owner(token), bytes);
  return [got, places.refuses(owner(token), bytes, 0)];
}

test.each([
  [1, 1, 'full'],
  [2, 2, 'full'],
  [5, 4, 'places'],
  [10, 8, 'places'],
  [2_000, 1_600, 'places'],
])('of %i places a single token gets %i, and a second token the rest', (capacity, lone, why) => {
  const places = new Slots(capacity);
  expect(fill(places, 'a')).toEqual([lone, why]);
  expect(fill(places, 'b')).toEqual([capacity - lone, 'full']);
});

test('the reserved places go to a third token if two hold half of the others each', () => {
  const places = new Slots(10);
  for (let i = 0; i < 4; i++) for (const token of ['a', 'b']) places.take(owner(token), 0);
  expect(['a', 'b', 'c'].map(token => places.refuses(owner(token), 0, 0))).toEqual([
    'places',
    'places',
    undefined,
  ]);
});

test('each of two tokens gets half of the memory for bodies', () => {
  const places = new Slots(100, 4_000);
  expect(fill(places, 'a', 200)).toEqual([10, 'bodies']);
  // A call without a body needs no memory.
  expect(places.refuses(owner('a'), 0, 0)).toBeUndefined();
  expect(fill(places, 'd', 200)).toEqual([10, 'full']);
});

test('a body larger than the share is accepted for a token that holds none, but no second one', () => {
  const places = new Slots(100, 4_000);
  places.take(owner('a'), 0);
  expect(places.refuses(owner('a'), 3_000, 0)).toBeUndefined();
  places.take(owner('a'), 3_000);
  expect(places.refuses(owner('a'), 1, 0)).toBe('bodies');
  expect(places.refuses(owner('b'), 1_000, 0)).toBeUndefined();
  expect(places.refuses(owner('b'), 1_001, 0)).toBe('full');
  places.release(owner('a'), 3_000);
  expect(places.refuses(owner('a'), 3_000, 0)).toBeUndefined();
});

test('a token that holds no place is forgotten', () => {
  const places = new Slots(10);
  places.take(owner('a'), 5);
  places.take(owner('a'), 5);
  places.release(owner('a'), 5);
  places.release(owner('a'), 5);
  expect([places.taken, places.held, places.tokens]).toEqual([0, 0, 0]);
});
