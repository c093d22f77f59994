import { expect, test } from 'vitest';
import { Places, type Refused } from './places.ts';

/** Takes places for a token until there is none for it; how many it got, and why no more. */
function fill(places: Places, token: string, bytes = 0): [number, Refused | undefined] {
  let got = 0;
  for (; !places.refuses(token, bytes); got++) places.take(token, bytes);
  return [got, places.refuses(token, bytes)];
}

test.each([
  [1, 1, 'full'],
  [2, 2, 'full'],
  [5, 4, 'places'],
  [10, 8, 'places'],
  [2_000, 1_600, 'places'],
])('of %i places a lone token gets %i, and another one the rest', (capacity, lone, why) => {
  const places = new Places(capacity);
  expect(fill(places, 'a')).toEqual([lone, why]);
  expect(fill(places, 'b')).toEqual([capacity - lone, 'full']);
});

test('where two tokens hold half each, the last places are for a third', () => {
  const places = new Places(10);
  for (let i = 0; i < 4; i++) for (const token of ['a', 'b']) places.take(token, 0);
  expect(['a', 'b', 'c'].map(token => places.refuses(token, 0))).toEqual(['places', 'places', undefined]);
});

test('each of two tokens gets half of the room for bodies, and nobody more', () => {
  const places = new Places(100, 4_000);
  expect(fill(places, 'a', 200)).toEqual([10, 'bodies']);
  // What has no body of its own needs no room for one.
  expect(places.refuses('a', 0)).toBeUndefined();
  expect(fill(places, 'd', 200)).toEqual([10, 'full']);
});

test('a body larger than the share passes for a token that holds none, and nothing beside it', () => {
  const places = new Places(100, 4_000);
  places.take('a', 0);
  expect(places.refuses('a', 3_000)).toBeUndefined();
  places.take('a', 3_000);
  expect(places.refuses('a', 1)).toBe('bodies');
  expect(places.refuses('b', 1_000)).toBeUndefined();
  expect(places.refuses('b', 1_001)).toBe('full');
  places.release('a', 3_000);
  expect(places.refuses('a', 3_000)).toBeUndefined();
});

test('nothing is remembered of a token that holds none', () => {
  const places = new Places(10);
  places.take('a', 5);
  places.take('a', 5);
  places.release('a', 5);
  places.release('a', 5);
  expect([places.taken, places.held, places.tokens]).toEqual([0, 0, 0]);
});
