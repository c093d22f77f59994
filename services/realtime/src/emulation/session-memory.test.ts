import { MemoryBudget, TokenCount } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import type { Item } from './item.ts';
import { Items } from './items.ts';
import { SessionMemory } from './session-memory.ts';

const kb = 1024;

function open(share = 1_000 * kb) {
  const held = new MemoryBudget(100_000 * kb, new TokenCount(share, 'The share is full.'));
  return { held, memory: new SessionMemory(held.share('a')) };
}

const textItem = (id: string, text: string): Item => ({
  object: {
    ...{ id, object: 'realtime.item', status: 'completed', type: 'message', role: 'user' },
    content: [{ type: 'input_text', text }],
  } as Item['object'],
});

test('what a session holds beyond 64 KiB counts for its token, and is released at its end', () => {
  const { held, memory } = open();
  memory.set('items', 40 * kb);
  expect(held.held).toBe(0);
  memory.set('input', 40 * kb);
  expect(held.held).toBe(16 * kb);
  memory.set('input', 30 * kb);
  expect(held.held).toBe(6 * kb);
  memory.release();
  memory.note('items', 500 * kb);
  expect(held.held).toBe(0);
});

test('what has no room in the share of its token is refused, unless it exists already', () => {
  const { held, memory } = open();
  held.share('a').take(900 * kb);
  expect(() => memory.set('items', 300 * kb)).toThrow('The share is full.');
  expect(held.held).toBe(900 * kb);
  memory.note('items', 300 * kb);
  expect(held.held).toBe(900 * kb);
  memory.set('items', 100 * kb);
  expect(held.held).toBe(936 * kb);
});

test('an item without room is refused, and the items that are deleted make room', () => {
  const { held, memory } = open();
  const other = held.share('a');
  other.take(500 * kb);
  const items = new Items(memory);
  const first = textItem('a', 'x'.repeat(200 * kb));
  items.check(first, undefined);
  items.insert(first);
  expect(held.held).toBeGreaterThan(800 * kb);
  expect(() => items.check(textItem('b', 'x'.repeat(200 * kb)), undefined)).toThrow('The share is full.');
  items.remove(first);
  expect(held.held).toBe(500 * kb);
  items.check(textItem('b', 'x'.repeat(200 * kb)), undefined);
});

test("the user's oldest audio is deleted if its token's share has no room", () => {
  const { held, memory } = open();
  held.share('a').take(600 * kb);
  const items = new Items(memory);
  const format = { type: 'audio/pcmu' } as const;
  const added = ['a', 'b', 'c'].map(id => {
    const item = textItem(id, '');
    items.insert(item);
    items.keepAudio(item, new Map([[0, { bytes: Buffer.alloc(200 * kb), format }]]));
    return item;
  });
  expect(added.map(({ audio }) => audio !== undefined)).toEqual([false, true, true]);
});
