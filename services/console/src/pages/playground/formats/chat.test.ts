import { expect, test } from 'vitest';
import { plain } from '../testing/every-part.ts';
import { readAll } from '../testing/read-all.ts';
import { chat } from './formats.ts';

const thinking = (n: number) => ({ type: 'thinking', thinking: `t${n}`, signature: `s${n}` });
const redacted = { type: 'redacted_thinking', data: 'd' };
const call = (index: number, more: object = {}) => ({
  ...{ index, id: `c${index}`, type: 'function', function: { name: 'f', arguments: '{}' }, ...more },
});
const called = (...calls: object[]) => calls.map(({ index: _, ...sent }: { index?: number }) => sent);
const google = { extra_content: { google: { thought_signature: 'sig' } } };

test.each<[string, object[], object]>([
  ['a text', [{ content: 'a' }, { content: 'b' }], { content: 'ab' }],
  ['a refusal', [{ refusal: 'No' }], { content: null, refusal: 'No' }],
  ['reasoning without calls', [{ reasoning_content: 'r' }, { content: 'a' }], { content: 'a' }],
  [
    'reasoning before a call',
    [{ reasoning_content: 'r' }, { tool_calls: [call(0)] }],
    { content: null, reasoning_content: 'r', tool_calls: called(call(0)) },
  ],
  [
    'signed reasoning',
    [{ reasoning_content: 't1' }, { thinking_blocks: [thinking(1), redacted] }, { content: 'a' }],
    { content: 'a', thinking_blocks: [thinking(1), redacted] },
  ],
  [
    'two signed blocks',
    [{ thinking_blocks: [thinking(1)] }, { content: 'a' }, { thinking_blocks: [thinking(2)] }],
    { content: 'a', thinking_blocks: [thinking(1), thinking(2)] },
  ],
  [
    'calls with signatures',
    [{ tool_calls: [call(0, google)] }, { tool_calls: [call(1)] }],
    { content: null, tool_calls: called(call(0, google), call(1)) },
  ],
])('%s of an answer goes back as it came', (_what, deltas, message) => {
  const { parts } = readAll(chat, [
    ...deltas.map(delta => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    '[DONE]',
  ]);
  const { body } = chat.build({ ...plain, turns: [{ role: 'assistant', parts }] });
  expect(body.messages).toEqual([{ role: 'assistant', ...message }]);
});
