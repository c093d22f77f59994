import { refusal } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const body = (fields: object = {}) => ({ model: 'm', max_tokens: 5, messages, ...fields });

describe('an invalid request is rejected with field and reason', () => {
  test.each(
    rows<[string, object]>`
    - ['model: Input should be a valid string', {model: null}]
    - ['model: String should have at least 1 character', {model: ''}]
    - ['max_tokens: Input should be a valid number', {max_tokens: null}]
    - ['max_tokens: Input should be a valid number', {max_tokens: '5'}]
    - ['max_tokens: Input should be a valid integer', {max_tokens: 1.5}]
    - ['max_tokens: Input should be greater than or equal to 1', {max_tokens: 0}]
    - ['messages: List should have at least 1 item', {messages: []}]
    - ['messages: Input should be a valid list', {messages: Hi}]
    - ['messages.0: Input should be a valid object', {messages: [Hi]}]
    - ['messages.0.role: Field required', {messages: [{content: Hi}]}]
    - ["messages.0.role: Input should be 'user', 'assistant' or 'system'", {messages: [{role: tool, content: Hi}]}]
    - ['messages.1.content: Field required', {messages: [{role: user, content: Hi}, {role: user}]}]
    - ['messages.0.content: Input should be a valid string or list', {messages: [{role: user, content: 5}]}]
    - ['messages.0.content: Input should be a valid string or list', {messages: [{role: user, content: null}]}]
    - ['messages.0.content.1.type: Field required', {messages: [{role: user, content: [{type: text, text: a}, {text: b}]}]}]
    - ['system: Input should be a valid string or list', {system: 5}]
    - ['system.0.type: Field required', {system: [{text: x}]}]
    - ['temperature: Input should be less than or equal to 1', {temperature: 1.1}]
    - ['temperature: Input should be greater than or equal to 0', {temperature: -0.1}]
    - ['temperature: Input should be a valid number', {temperature: '1'}]
    - ['temperature: Input should be a valid number', {temperature: .inf}]
    - ['top_p: Input should be a valid number', {top_p: '1'}]
    - ['top_k: Input should be a valid integer', {top_k: 1.5}]
    - ['top_k: Input should be a valid number', {top_k: true}]
    - ['stream: Input should be a valid boolean', {stream: 'true'}]
    - ['stop_sequences: Input should be a valid list', {stop_sequences: END}]
    - ['stop_sequences.0: Input should be a valid string', {stop_sequences: [1]}]
    - ['tools: Input should be a valid list', {tools: {}}]
    - ['tools.0: Input should be a valid object', {tools: [f]}]
    - ['tool_choice: Input should be a valid object', {tool_choice: auto}]
    - ['tool_choice.type: Field required', {tool_choice: {}}]
    - ['thinking: Input should be a valid object', {thinking: true}]
    - ['thinking.type: Field required', {thinking: {}}]
    - ['metadata: Input should be a valid object', {metadata: []}]
    - ['metadata.user_id: Input should be a valid string', {metadata: {user_id: 5}}]
    - ['output_config: Input should be a valid object', {output_config: high}]
    - ['cache_control: Input should be a valid object', {cache_control: true}]
    - ['service_tier: Input should be a valid string', {service_tier: 1}]
  `,
  )('%s', (message, fields) => {
    const error = { kind: 'invalid-request', message, param: message.split(':')[0] };
    expect(refusal(() => parse(body(fields), {}))).toMatchObject(error);
  });

  test.each(['model', 'max_tokens', 'messages'])('%s: Field required', param => {
    const message = `${param}: Field required`;
    expect(refusal(() => parse(body({ [param]: undefined }), {}))).toMatchObject({ message, param });
  });

  test('a thread is rejected with a code that SDKs recognize', () => {
    const thread = { type: 'continue', previous_message_id: 'msg_1' };
    const error = { kind: 'invalid-request', param: 'thread', code: 'thread_unsupported_request' };
    expect(refusal(() => parse(body({ thread }), {}))).toMatchObject(error);
  });
});

test.each(
  rows<[object]>`
  - [{max_tokens: 1, temperature: 1, top_p: 0, top_k: 0}]
  - [{temperature: 0}]
  - [{temperature: null, system: null, tools: null, thinking: null, thread: null}]
  - [{brand_new: {a: 1}, messages: [{role: user, content: Hi, weight: 1}]}]
  - [{messages: [{role: user, content: [{type: hologram, x: 1}]}]}]
  - [{messages: [{role: user, content: Hi}, {role: system, content: x}]}]
  - - system: [{type: text, text: x, cache_control: {type: ephemeral}}]
      thinking: {type: adaptive, display: omitted}
      context_management: {edits: [{type: clear_thinking_20251015, keep: all}]}
      output_config: {effort: medium}
`,
)('a request with %j is accepted', fields => {
  expect(parse(body(fields), {})).toMatchObject({ model: 'm', stream: false });
});

test('a request with stream: true is parsed as a stream', () => {
  expect(parse(body({ stream: true }), {})).toMatchObject({ model: 'm', stream: true });
});

test.each<[Record<string, string>, object]>([
  [
    { 'vendor-version': '2024-01-01', 'anthropic-version': '2023-06-01' },
    { 'anthropic-version': '2024-01-01' },
  ],
  [{ 'anthropic-version': '2023-06-01' }, { 'anthropic-version': '2023-06-01' }],
  [
    { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', cookie: 'x', 'x-api-key': 'sk' },
    { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' },
  ],
])('of the headers %j only version and betas are forwarded', (headers, sent) => {
  expect(parse(body(), headers).headers).toEqual(sent);
});

const isForeign = (...turns: object[]) => parse(body({ messages: [...messages, ...turns] }), {}).foreign;
const cites = (encrypted_index: string) => ({
  ...{
    type: 'text',
    text: 'Hi',
    citations: [{ type: 'web_search_result_location', url: 'u', encrypted_index }],
  },
});

test.each([
  [{ type: 'thinking', thinking: '', signature: 'gg:Q2lR' }, true],
  [{ type: 'redacted_thinking', data: 'or:Q2lR' }, true],
  [{ type: 'thinking', thinking: 'hm', signature: '' }, true],
  [{ type: 'thinking', thinking: 'hm' }, true],
  [{ type: 'thinking', thinking: 'gg:', signature: 'EqQB' }, false],
  [{ type: 'text', text: 'gg:x' }, false],
  // The gateway makes citations without an index.
  [cites(''), true],
  [cites('Eo8B'), false],
])('a history with unsigned or differently signed thinking is foreign: %j', (block, foreign) => {
  expect(isForeign({ role: 'assistant', content: [block] })).toBe(foreign);
});

const png = 'iVBORw0KGgoAAAANSUhEUg==';
const image = (media_type: string, data: string) => ({
  ...{ type: 'image', source: { type: 'base64', media_type, data } },
});
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const answer = (tool_use_id: string, content: unknown = 'x') => ({
  type: 'tool_result',
  tool_use_id,
  content,
});
const says = (...content: object[]) => ({ role: 'assistant', content });
const asks = (...content: object[]) => ({ role: 'user', content });

test.each<[string, boolean, object[]]>([
  ['an id that repeats', true, [says(use('a')), asks(answer('a')), says(use('a')), asks(answer('a'))]],
  ['ids that differ', false, [says(use('a')), asks(answer('a')), says(use('b')), asks(answer('b'))]],
  ['a blank text', true, [asks({ type: 'text', text: ' \n' })]],
  ['a blank text in a result', true, [says(use('a')), asks(answer('a', [{ type: 'text', text: '' }]))]],
  ['an error without content', true, [says(use('a')), asks({ ...answer('a', ''), is_error: true })]],
  ['a blank result', true, [says(use('a')), asks(answer('a', ' '))]],
  ['a result without content', false, [says(use('a')), asks(answer('a', ''))]],
  ['a message without content', true, [asks()]],
  ['an answer of null', true, [{ role: 'assistant', content: null }, asks({ type: 'text', text: 'a' })]],
  ['a blank message', true, [{ role: 'user', content: '\n' }]],
  ['white space at the end', true, [{ role: 'assistant', content: 'So ' }]],
  ['white space at the end of a block', true, [says({ type: 'text', text: 'So\n' })]],
  [
    'white space at the end of a turn in the middle',
    false,
    [says({ type: 'text', text: 'So\n' }), asks(answer('a'))],
  ],
  ['a mislabelled image', true, [asks(image('image/jpeg', png))]],
  ['a mislabelled image in a result', true, [says(use('a')), asks(answer('a', [image('image/jpeg', png)]))]],
  ['line ends in an image', true, [asks(image('image/png', `${png.slice(0, 8)}\n${png.slice(8)}`))]],
  ['an image', false, [asks(image('image/png', png))]],
])('a history that the vendor refuses is foreign: %s', (_what, foreign, turns) => {
  expect(isForeign(...turns)).toBe(foreign);
});

test('blank instructions make a history foreign', () => {
  const foreign = (text: string) => parse(body({ system: [{ type: 'text', text }] }), {}).foreign;
  expect([foreign(''), foreign('Be brief.')]).toEqual([true, false]);
});

test.each([
  ['functions.weather:0', true],
  ['call+a/b=', true],
  [`toolu_${'x'.repeat(80)}-`, false],
])('a history with an id that this format does not allow is foreign: %s', (id, foreign) => {
  const use = { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] };
  expect([isForeign(use), isForeign(result)]).toEqual([foreign, foreign]);
});
