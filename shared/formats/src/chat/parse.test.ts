import { refusal as refused } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const body = (fields: object = {}) => ({ model: 'm', messages, ...fields });
const refusal = (fields: object) => refused(() => parse(body(fields)));

describe('an invalid request is rejected with the name of the field', () => {
  test.each(
    rows<[string, object, string]>`
    - [model, {model: null}, invalid_type]
    - [model, {model: ''}, invalid_value]
    - [messages, {messages: Hi}, invalid_type]
    - [messages, {messages: []}, empty_array]
    - ['messages[0]', {messages: [Hi]}, invalid_type]
    - ['messages[0].role', {messages: [{content: Hi}]}, missing_required_parameter]
    - ['messages[0].role', {messages: [{role: robot, content: Hi}]}, invalid_value]
    - ['messages[0].role', {messages: [{role: 1, content: Hi}]}, invalid_type]
    - ['messages[1].content', {messages: [{role: user, content: Hi}, {role: user}]}, missing_required_parameter]
    - ['messages[0].content', {messages: [{role: user, content: null}]}, invalid_type]
    - ['messages[0].content', {messages: [{role: system, content: 5}]}, invalid_type]
    - ['messages[0].content', {messages: [{role: assistant}]}, missing_required_parameter]
    - ['messages[0].tool_call_id', {messages: [{role: tool, content: x}]}, missing_required_parameter]
    - [temperature, {temperature: -0.1}, decimal_below_min_value]
    - [temperature, {temperature: '1'}, invalid_type]
    - [temperature, {temperature: .inf}, invalid_type]
    - [top_p, {top_p: 1.1}, decimal_above_max_value]
    - [n, {n: 1.5}, invalid_type]
    - [presence_penalty, {presence_penalty: 2.5}, decimal_above_max_value]
    - [frequency_penalty, {frequency_penalty: -2.5}, decimal_below_min_value]
    - [reasoning_effort, {reasoning_effort: 3}, invalid_type]
    - [stream, {stream: 'true'}, invalid_type]
    - [max_completion_tokens, {max_completion_tokens: '5'}, invalid_type]
    - [seed, {seed: 0.5}, invalid_type]
    - [user, {user: 5}, invalid_type]
    - [stop, {stop: 5}, invalid_type]
    - ['stop[0]', {stop: [5]}, invalid_type]
    - [modalities, {modalities: text}, invalid_type]
    - ['modalities[0]', {modalities: [1]}, invalid_type]
    - [tools, {tools: {}}, invalid_type]
    - [tool_choice, {tool_choice: 1}, invalid_type]
    - [stream_options, {stream_options: true}, invalid_type]
    - [stream_options.include_usage, {stream_options: {include_usage: 1}}, invalid_type]
    - [logit_bias, {logit_bias: []}, invalid_type]
    - [response_format, {response_format: json}, invalid_type]
    - [audio, {audio: wav}, invalid_type]
  `,
  )('%s is invalid in %j: %s', (param, fields, code) => {
    expect(refusal(fields)).toMatchObject({ kind: 'invalid-request', param, code });
  });

  test.each<[object, string]>([
    [{ model: undefined }, "Missing required parameter: 'model'."],
    [{ messages: undefined }, "Missing required parameter: 'messages'."],
    [
      { stop: 5 },
      "Invalid type for 'stop': expected a string or an array of strings, but got an integer instead.",
    ],
    [{ top_p: 3 }, "Invalid 'top_p': expected a value of at most 1, but got 3."],
    [{ seed: 0.5 }, "Invalid type for 'seed': expected an integer, but got a number instead."],
  ])('the error of %j states the expected type or range', (fields, message) => {
    expect(refusal(fields)?.message).toBe(message);
  });
});

test.each([
  { temperature: 2, top_p: 0, n: 1, presence_penalty: -2, frequency_penalty: 2 },
  { temperature: null, stream: null, tools: null, stop: null, n: null },
  { brand_new: { a: 1 }, messages: [{ ...messages[0], weight: 1 }] },
  { seed: 2 ** 63 },
  { messages: [{ role: 'assistant', refusal: 'no' }] },
  { messages: [{ role: 'assistant', content: null }] },
  { messages: [{ role: 'assistant', reasoning_content: 'Hm' }] },
  { messages: [{ role: 'assistant', reasoning_details: [] }] },
  { messages: [{ role: 'tool', tool_call_id: 'c', content: null }] },
  { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f' } }] }] },
  // Servers have values of their own.
  ...['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'default', 'ultra', 'huge'].map(effort => ({
    reasoning_effort: effort,
  })),
])('a request with %j is accepted', fields => {
  expect(parse(body(fields))).toMatchObject({ model: 'm', stream: false });
});

test('a request with stream: true is parsed as a stream', () => {
  expect(parse(body({ stream: true }))).toMatchObject({ model: 'm', stream: true });
});

describe('a history is foreign to an upstream of the format', () => {
  const block = { type: 'thinking', thinking: 'a' };
  const thought = (more: object) => ({
    role: 'assistant',
    content: 'x',
    thinking_blocks: [{ ...block, ...more }],
  });
  const called = (more: object) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, ...more };
    return { role: 'assistant', content: null, tool_calls: [call] };
  };
  const asks = (part: object) => ({ role: 'user', content: [part] });
  const image = (image_url: unknown) => asks({ type: 'image_url', image_url });
  const isForeign = (turn: object) => parse(body({ messages: [...messages, turn, ...messages] })).foreign;

  test.each([
    ['of a tagged signature', thought({ signature: 'gg:s' })],
    ['of a tagged redacted block', thought({ type: 'redacted_thinking', data: 'or:s' })],
    ['of a signature in an id', called({ id: 'call_x__thought__s+/=' })],
    ['of arguments that are cut off', called({ function: { name: 'f', arguments: '{"x":' } })],
    ['of arguments as an object', called({ function: { name: 'f', arguments: { x: 1 } } })],
    [
      'of arguments of the older form that are cut off',
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{' } },
    ],
    ['of null alone', { role: 'assistant', content: null, reasoning_content: 'Hm' }],
    ['of a result of null', { role: 'tool', tool_call_id: 'c', content: null }],
    ['of an image as a URL alone', image('https://x.example/a.png')],
    ['of line ends in an image', image({ url: 'data:image/png;base64,iVBO\r\nRw0K' })],
    ['of a mislabelled image', image({ url: 'data:image/jpeg;base64,iVBORw0KGgoAAAAN' })],
    ['of line ends in audio', asks({ type: 'input_audio', input_audio: { data: 'AA\nAA', format: 'wav' } })],
  ])('a history is foreign because %s', (_what, turn) => {
    expect(isForeign(turn)).toBe(true);
  });

  test.each([
    ['a signature without a tag', thought({ signature: 'EqQB' })],
    ['an unknown tag', thought({ signature: 'x:s' })],
    ['no signature', thought({})],
    ['a call', called({})],
    ['a refusal', { role: 'assistant', content: null, refusal: 'No' }],
    ['a call without arguments', called({ function: { name: 'f', arguments: '' } })],
    ['an image', image({ url: 'data:image/png;base64,iVBORw0K' })],
    ['a signature in its own field', called({ extra_content: { google: { thought_signature: 's' } } })],
    [
      'malformed fields',
      { role: 'assistant', content: '', thinking_blocks: 5, tool_calls: [null, { id: 5 }] },
    ],
  ])('a history is not foreign because of %s', (_what, turn) => {
    expect(isForeign(turn)).toBe(false);
  });
});

describe('fields that decide on the answer, and that other formats lack, are named', () => {
  test.each<[object, string[]]>([
    [{ moderation: { model: 'omni-moderation-latest' } }, ['moderation']],
    [{ guided_json: { type: 'object' } }, ['guided_json']],
    [{ structured_outputs: { regex: 'a+' } }, ['structured_outputs']],
    [{ grammar: 'root ::= "a"', moderation: { model: 'm' } }, ['moderation', 'grammar']],
  ])('%j', (fields, names) => {
    expect(parse(body(fields)).canonical().vendorFields).toEqual({ format: 'chat', names });
  });

  test.each([{ moderation: null }, { grammar: '' }, { user: 'a' }])('%j needs no format', fields => {
    expect(parse(body(fields)).canonical().vendorFields).toBeUndefined();
  });
});

test.each<[object, object]>([
  [{ type: 'json_object' }, { type: 'json' }],
  [{ type: 'json_object', schema: null }, { type: 'json' }],
  [
    { type: 'json_object', schema: { type: 'object' } },
    { type: 'schema', schema: { type: 'object' } },
  ],
])('the format %j is carried as %j', (response_format, output) => {
  expect(parse(body({ response_format })).canonical().output).toEqual(output);
});

test.each([
  [{ max_completion_tokens: 7 }, 7],
  [{ max_tokens: 7 }, 7],
  [{ max_tokens: null, max_completion_tokens: 7 }, 7],
  [{ max_tokens: 9, max_completion_tokens: 7 }, 9],
  [{ max_completion_tokens: 7, n: 3 }, 21],
  [{ max_completion_tokens: -1 }, undefined],
  [{ max_tokens: 7, max_completion_tokens: -1 }, undefined],
  [{}, undefined],
])('the most output of %j is %s', (fields, tokens) => {
  expect(parse(body(fields)).maxTokens).toBe(tokens);
});
