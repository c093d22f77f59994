import { readAll } from '@model-gateway/canonical/testing/events';
import { expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { messagesDialect } from './dialect.ts';

const use = (id: string, input: object = {}) => ({ type: 'tool_use', id, name: 'f', input });
const history = (...ids: string[]) => [
  { role: 'user', content: 'a' },
  ...ids.flatMap(id => [
    { role: 'assistant', content: [{ type: 'text', text: 'x' }, use(id)] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
  ]),
];
const inputOf = (...ids: string[]) =>
  encodeInput(
    { model: 'm', text: Buffer.from(JSON.stringify({ messages: history(...ids) })) },
    { format: 'messages' },
  );

const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] };
const stream = (...blocks: object[]) =>
  [
    { type: 'message_start', message },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      {
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: '{"id":"call_0"}' },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
    .map(event)
    .join('');
const whole = (...content: object[]) =>
  JSON.stringify({
    ...message,
    content,
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  });

const passed = (events: ReturnType<typeof readAll>) =>
  events.map(each => (each.type === 'verbatim' ? Buffer.from(each.bytes).toString() : '')).join('');
const streamed = (text: string, ...ids: string[]) =>
  passed(readAll(messagesDialect.decodeStream(inputOf(...ids)), text));
const answered = (text: string, ...ids: string[]) =>
  passed(readAll(messagesDialect.decodeWhole(inputOf(...ids), 'application/json'), text));

const made = /call_[0-9a-f]{24}/;

test.each(['call_0', 'functions.f:0', '0', 'tool-12'])(
  'an answer that is passed on has another id than %s, which its history has',
  id => {
    const text = stream(use(id), use('other'));
    const [own] = made.exec(streamed(text, id)) ?? [];
    expect(streamed(text, id)).toBe(text.replace(`"id":"${id}"`, `"id":"${own}"`));
    const body = JSON.parse(answered(whole(use(id, { n: 1 }), use('other')), 'x', id));
    expect(body.content).toEqual([use(expect.stringMatching(made) as never, { n: 1 }), use('other')]);
  },
);

test('two calls of one id have ids of their own', () => {
  const text = streamed(stream(use('call_0'), use('call_0')));
  expect(text.match(/"tool_use","id":"call_0"/g)).toHaveLength(1);
  const [first, second] = JSON.parse(answered(whole(use('call_0'), use('call_0')))).content;
  expect(first).toEqual(use('call_0'));
  expect(second.id).toMatch(made);
});

test('many calls of one id are renamed at once', () => {
  const text = streamed(stream(...Array.from({ length: 5_000 }, () => use('call_0'))));
  const ids = [...text.matchAll(/"tool_use","id":"(\w+)"/g)].map(([, id]) => id);
  expect([ids.length, new Set(ids).size]).toEqual([5_000, 5_000]);
});

test.each<[string, string[]]>([
  ['call_0', []],
  ['call_0', ['call_1']],
  ['toolu_01A09q90qw90lq917835lq9', ['toolu_01A09q90qw90lq917835lq9']],
])('an answer with the id %s after %j is passed on byte for byte', (id, ids) => {
  expect(streamed(stream(use(id)), ...ids)).toBe(stream(use(id)));
  const spaced = whole(use(id)).replaceAll(':', ' : ');
  expect(answered(spaced, ...ids)).toBe(spaced);
});
