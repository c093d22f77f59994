import { expect, test } from 'vitest';
import { Places } from './places.ts';

/** Takes places for a token until there is none for it; how many it got. */
function fill(places: Places, token: string): number {
  let got = 0;
  for (; !places.full && !places.keptFrom(token); got++) places.take(token);
  return got;
}

test.each([
  [1, 1],
  [2, 2],
  [5, 4],
  [10, 8],
  [2_000, 1_600],
])('of %i places a lone token gets %i, and another one the rest', (capacity, lone) => {
  const places = new Places(capacity);
  expect(fill(places, 'a')).toBe(lone);
  expect(fill(places, 'b')).toBe(capacity - lone);
  expect(places.full).toBe(true);
});

test('where two tokens hold half each, the last places are for a third', () => {
  const places = new Places(10);
  for (let i = 0; i < 4; i++) for (const token of ['a', 'b']) places.take(token);
  expect([places.keptFrom('a'), places.keptFrom('b'), places.keptFrom('c')]).toEqual([true, true, false]);
});

test('nothing is remembered of a token that holds none', () => {
  const places = new Places(10);
  places.take('a');
  places.take('a');
  places.giveBack('a');
  places.giveBack('a');
  expect([places.taken, places.tokens]).toEqual([0, 0]);
});
