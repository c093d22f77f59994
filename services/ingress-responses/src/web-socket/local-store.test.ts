import { GatewayError } from '@model-gateway/canonical';
import { expect, test } from 'vitest';
import { type Held, LocalStore } from './local-store.ts';

/** A memory budget of `budget` bytes. */
function room(budget: number): Held & { held: number } {
  const room = {
    held: 0,
    share() {
      let mine = 0;
      return {
        take(bytes: number) {
          if (room.held + bytes > budget) throw new GatewayError('overloaded', 'too much');
          room.held += bytes;
          mine += bytes;
        },
        give(bytes: number) {
          room.held -= bytes;
          mine -= bytes;
        },
        keep() {},
        part: () => room.share(),
        release() {
          room.held -= mine;
          mine = 0;
        },
      };
    },
  };
  return room;
}

const turn = (id: string, size: number) => ({
  meta: { id, at: 0, before: [], stream: false },
  base: '',
  input: 'x'.repeat(size),
  response: '',
});

test('stored turns use the budget, the oldest are evicted, and an empty store uses none', () => {
  const held = room(1_000);
  const store = new LocalStore(held, 'a');
  for (const id of ['a', 'b', 'c']) store.set(id, turn(id, 400));
  expect([...store.keys()]).toEqual(['b', 'c']);
  expect(held.held).toBe(800);
  store.set('b', turn('b', 100));
  expect(held.held).toBe(500);
  store.delete('c');
  expect(held.held).toBe(100);
  store.set('d', turn('d', 2_000));
  expect([...store.keys()]).toEqual([]);
  store.set('e', turn('e', 900));
  store.clear();
  expect([store.size, held.held]).toEqual([0, 0]);
});

test('a local store has at most 128 turns', () => {
  const store = new LocalStore(room(1_000_000), 'a');
  for (let i = 0; i < 200; i++) store.set(`${i}`, turn(`${i}`, 1));
  expect(store.size).toBe(128);
  expect(store.has('199')).toBe(true);
});

test('the bytes of a turn are those of the turns before it, too, each once', () => {
  const store = new LocalStore(room(1_000_000), 'a');
  const after = (id: string, size: number, before: string[], base = '') => {
    const { meta, ...texts } = turn(id, size);
    store.set(id, { ...texts, base, meta: { ...meta, before } });
  };
  after('a', 100, []);
  after('b', 20, ['a', 'elsewhere']);
  after('c', 3, ['b', 'a']);
  after('d', 1_000, ['c'], 'all');
  expect(['a', 'b', 'c', 'd', 'e'].map(id => store.bytesUpTo(id))).toEqual([100, 120, 123, 1_003, 0]);
  expect(store.bytes).toBe(1_126);
});
