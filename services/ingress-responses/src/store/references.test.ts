import { expect, test } from 'vitest';
import { mostReferences, withReferences } from './references.ts';
import type { Store } from './store.ts';
import type { Turn } from './turn.ts';

const hex = (i: number) => i.toString(16).padStart(24, '0');

/** A store with a response for each number, of which it counts the reads. */
function storeOf(count: number, size = 10) {
  const read: string[] = [];
  const turnOf = (i: number): Turn => ({
    meta: { id: `resp_${hex(i)}`, at: 0, before: [], stream: false },
    base: '',
    input: `{"role":"user","content":"${'x'.repeat(size)}"},{"role":"user","content":"${i}"}`,
    response: `{"output":[{"type":"message","id":"msg_${hex(i)}_0","content":[]},{"type":"reasoning","id":"foreign${i}"}]}`,
  });
  const store = {
    turn: async () => {},
    async get(_project: string, id: string) {
      read.push(id);
      const i = Number.parseInt(id.replace('resp_', ''), 16);
      return i < count ? turnOf(i) : undefined;
    },
    async responseOf(_project: string, id: string) {
      read.push(id);
      return `resp_${hex(Number(id.replace('foreign', '')))}`;
    },
  };
  return { store: store as unknown as Store, read };
}

const reference = (id: string) => `{"type":"item_reference","id":"${id}"}`;

test('each stored response is read once, however many of its items are named', async () => {
  const { store, read } = storeOf(2);
  const ids = [
    `msg_${hex(0)}_in1`,
    `msg_${hex(0)}_0`,
    `msg_${hex(1)}_in1`,
    `msg_${hex(0)}_in1`,
    'foreign1',
    'foreign1',
  ];
  const items = await withReferences(store, 'p', ids.map(reference).join(','), { most: 10_000 });
  expect(JSON.parse(`[${items}]`)).toEqual([
    { role: 'user', content: '0' },
    { type: 'message', id: `msg_${hex(0)}_0`, content: [] },
    { role: 'user', content: '1' },
    { role: 'user', content: '0' },
    { type: 'reasoning', id: 'foreign1' },
    { type: 'reasoning', id: 'foreign1' },
  ]);
  expect(read.toSorted()).toEqual(['foreign1', `resp_${hex(0)}`, `resp_${hex(1)}`]);
});

test('more references than a request may hold are refused before anything is read', async () => {
  const { store, read } = storeOf(1);
  const items = Array(mostReferences + 1)
    .fill(reference(`msg_${hex(0)}_in0`))
    .join(',');
  await expect(withReferences(store, 'p', items, { most: 10_000 })).rejects.toMatchObject({
    details: { param: 'input' },
    message: expect.stringContaining('more than 100 references'),
  });
  expect(read).toEqual([]);
});

test('references whose items would be too large together are refused', async () => {
  const { store, read } = storeOf(1, 1_000);
  const items = Array(mostReferences)
    .fill(reference(`msg_${hex(0)}_in0`))
    .join(',');
  await expect(withReferences(store, 'p', items, { most: 50_000 })).rejects.toMatchObject({
    kind: 'too-large',
    message: expect.stringContaining('0.1 MB'),
  });
  expect(read).toHaveLength(1);
});

test('an unknown item is named with its place', async () => {
  const { store } = storeOf(1);
  const items = [reference(`msg_${hex(0)}_in0`), reference(`msg_${hex(7)}_in0`)].join(',');
  await expect(withReferences(store, 'p', items, { most: 10_000 })).rejects.toMatchObject({
    details: { param: 'input[1].id' },
  });
});
