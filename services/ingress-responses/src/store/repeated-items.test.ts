import { expect, test } from 'vitest';
import { mayRepeat, withoutCutCalls, withoutRepeated } from './expand.ts';

const text = (items: object[]) => items.map(item => JSON.stringify(item)).join(',');
const read = (items: string) => JSON.parse(`[${items}]`);

const call = (call_id: string, more: object = {}) => ({
  ...{ type: 'function_call', id: `fc_${call_id}`, call_id, name: 'f', arguments: '{}' },
  ...more,
});
const output = (call_id: string, more: object = {}) => ({
  ...{ type: 'function_call_output', call_id, output: 'x' },
  ...more,
});
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'a' }],
};
const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
const asked = { type: 'message', id: 'msg_u', role: 'user', content: 'Hi' };
const { id: _, ...callWithoutId } = call('a');

test.each<[string, object[], object[]]>([
  ['items of the model', [thought, said, call('a'), output('a')], [output('a')]],
  ['items of the model with other fields', [{ ...said, status: null, annotations: [] }], []],
  ['a call without its id', [callWithoutId, output('a')], [output('a')]],
  ['a message of the user, if it is the same', [asked], []],
])('%s that the history has are left out', (_what, own, left) => {
  expect(read(withoutRepeated(text(own), text([asked, thought, said, call('a')])))).toEqual(left);
});

test.each<[string, object[]]>([
  ['other ids', [{ ...said, id: 'msg_2' }, call('b'), output('b')]],
  ['no ids', [{ role: 'user', content: 'Hi' }, output('a')]],
  ['another call of the same id', [{ ...callWithoutId, arguments: '{"x":1}' }, output('a')]],
  ['another message of the user with the same id', [{ ...asked, content: 'More' }]],
  ['another kind of item with the same id', [{ ...asked, role: 'system' }]],
  ['a reference', [{ type: 'item_reference', id: 'msg_1' }]],
])('items with %s stay', (_what, own) => {
  const items = text(own);
  expect(withoutRepeated(items, text([asked, thought, said, call('a')]))).toBe(items);
});

test('items without ids and calls cannot be in the history', () => {
  expect(mayRepeat(text([{ role: 'user', content: 'Hi' }, output('a')]))).toBe(false);
  expect(mayRepeat(text([said]))).toBe(true);
  expect(mayRepeat(text([callWithoutId]))).toBe(true);
});

const cut = call('a', { status: 'incomplete', arguments: '{"x":' });

test('a call that was cut off and has no result is left out, with the reasoning before it', () => {
  expect(read(withoutCutCalls(text([asked, thought, cut, asked])))).toEqual([asked, asked]);
  expect(read(withoutCutCalls(text([asked, thought, said, cut])))).toEqual([asked, thought, said]);
  const custom = { type: 'custom_tool_call', call_id: 'b', name: 'f', input: 'x', status: 'incomplete' };
  expect(read(withoutCutCalls(text([custom, asked])))).toEqual([asked]);
});

test.each<[string, object[]]>([
  ['a call that was cut off and has a result', [cut, output('a')]],
  ['a whole call', [call('a', { status: 'completed' }), { ...said, status: 'incomplete' }]],
  ['a text about it', [call('a', { arguments: '{"status":"incomplete"}' })]],
])('%s stays', (_what, items) => {
  expect(withoutCutCalls(text(items))).toBe(text(items));
});

test('many items are compared at once', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => call(`c${at}`));
  expect(withoutRepeated(text(many), text(many))).toBe('');
});
