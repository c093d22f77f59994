import { expect, test } from 'vitest';
import { plain } from '../testing/every-part.ts';
import { readAll } from '../testing/read-all.ts';
import { messages } from './formats.ts';

const thinking = (text: string, signature: string) => ({ type: 'thinking', thinking: text, signature });
const redacted = { type: 'redacted_thinking', data: 'd' };
const text = (said: string) => ({ type: 'text', text: said });
const call = (input: object) => ({ type: 'tool_use', id: 'c1', name: 'f', input });

test.each<[string, object[], unknown]>([
  ['a text', [text('a')], 'a'],
  ['two texts', [text('a'), text('b')], [text('a'), text('b')]],
  ['signed reasoning', [thinking('t', 's'), text('a')], [thinking('t', 's'), text('a')]],
  ['reasoning without a text', [thinking('', 's'), text('a')], [thinking('', 's'), text('a')]],
  ['reasoning that only the vendor reads', [redacted, text('a')], [redacted, text('a')]],
  ['reasoning without a signature', [thinking('t', ''), text('a')], 'a'],
  ['a call', [thinking('t', 's'), call({ a: [1] })], [thinking('t', 's'), call({ a: [1] })]],
  ['a call without arguments', [call({})], [call({})]],
])('%s of an answer goes back as it came', (_what, blocks, content) => {
  const { parts } = readAll(messages, [
    { type: 'message_start', message: { id: 'msg_1' } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]);
  const { body } = messages.build({ ...plain, turns: [{ role: 'assistant', parts }] });
  expect(body.messages).toEqual([{ role: 'assistant', content }]);
});

test('the explanation of a refusal is a part of the answer', () => {
  const stop_details = { type: 'refusal', category: null, explanation: 'No.' };
  const { parts, finish } = readAll(messages, [
    { type: 'message_start', message: { id: 'msg_1' } },
    { type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } },
    { type: 'message_stop' },
  ]);
  expect(parts).toEqual([{ type: 'refusal', text: 'No.' }]);
  expect(finish).toEqual(['refusal', 'refusal']);
});
