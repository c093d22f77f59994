import { expect, test } from 'vitest';
import { joinItems, listedItem, named, splitItems, unnamed } from './item-text.ts';

const name = '0123456789abcdef01234567';

test('items are split without a change of their text', () => {
  const texts = [
    '{"role":"user","content":"a, {b} \\"c\\"","n":12345678901234567890}',
    '{ "type" : "function_call", "id" : "fc_1", "arguments":"[1,2]" }',
    '{"id":"x"}',
  ];
  const items = splitItems(` ${texts.join(' ,\n')} `);
  expect(items.map(({ text }) => text)).toEqual(texts);
  expect(items.map(({ id, type, role }) => [id, type, role])).toEqual([
    [undefined, 'message', 'user'],
    ['fc_1', 'function_call', undefined],
    ['x', 'item_reference', undefined],
  ]);
  expect(splitItems('')).toEqual([]);
});

test('an item without an id gets one, which is removed for upstreams', () => {
  const text =
    '{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1"},{"id":null,"type":"x","n":1e400}';
  const items = splitItems(text).map((item, place) => named(item, name, place));
  expect(items.map(({ id }) => id)).toEqual([`msg_${name}_in0`, 'rs_1', `item_${name}_in2`]);
  expect(items.map(item => JSON.parse(item.text).id)).toEqual(items.map(({ id }) => id));
  expect(unnamed(joinItems(items))).toBe(
    '{"role":"user","content":"a"},{"type":"reasoning","id":"rs_1"},{"type":"x","n":1e400}',
  );
});

test.each([
  [
    '{"role":"user","content":"a"}',
    { type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
  ],
  [
    '{"role":"assistant","content":"a","status":"incomplete"}',
    {
      type: 'message',
      status: 'incomplete',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'a', annotations: [] }],
    },
  ],
  [
    '{"type":"message","role":"user","content":[{"type":"input_text","text":"b"}]}',
    { type: 'message', status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'b' }] },
  ],
  ['{"type":"reasoning","summary":[]}', { type: 'reasoning', summary: [] }],
])('a list shows %s', (text, shown) => {
  expect(splitItems(text).map(item => JSON.parse(listedItem(item)))).toEqual([shown]);
});
