import type { GenerateRequest } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { system, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { messagesFields } from './fields.ts';
import { checkVersion, parse, parseCount } from './parse.ts';
import { countRenderer } from './render.ts';

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

describe('the version header', () => {
  test.each([
    { 'vendor-version': '2023-06-01' },
    { 'anthropic-version': '2026-10-21' },
    { 'vendor-version': '1999-12-31', 'anthropic-version': 'nonsense' },
    { 'vendor-version': '', 'anthropic-version': '2023-06-01' },
  ])('the version header of %j is accepted', headers => {
    expect(() => checkVersion(headers)).not.toThrow();
  });

  test.each([
    {},
    { 'vendor-version': '' },
    { 'anthropic-version': '' },
    { 'vendor-version': 'latest' },
    { 'vendor-version': '2023-6-1' },
    { 'vendor-version': '2023-02-30' },
    { 'vendor-version': '2023-13-01' },
    { 'vendor-version': '2023-06-01T00:00:00Z' },
    { 'vendor-version': 'latest', 'anthropic-version': '2023-06-01' },
  ])('the version header of %j is rejected', headers => {
    expect(() => checkVersion(headers)).toThrow(/^vendor-version: /);
  });
});

describe('a translated request', () => {
  const ask = { role: 'user', content: 'Hi' };
  const parsed = (fields: object) => parse({ model: 'm', max_tokens: 5, messages: [ask], ...fields }, {});

  /** The request as it crosses the bus, without the traits that all requests of the format have. */
  function canonical(fields: object): GenerateRequest {
    const sent = JSON.parse(JSON.stringify(parsed(fields).canonical()));
    const { userFirst, signaturesBefore, ...request } = sent;
    expect([userFirst, signaturesBefore]).toEqual([true, true]);
    return request;
  }
  testFixtures(import.meta.dirname, 'parse', (fields: object) => unusual(canonical(fields), canonical({})));

  test.each(
    rows<[object, object]>`
  - [{temperature: 0, top_p: 0.5, top_k: 3}, {temperature: 0, topP: 0.5, topK: 3}]
  - [{tool_choice: {type: auto}}, {toolChoice: {type: auto}}]
  - [{tool_choice: {type: none}}, {toolChoice: {type: none}}]
  - [{stop_sequences: [END, ' ']}, {stop: [END, ' ']}]
  - [{metadata: {user_id: null}}, {}]
  - [{service_tier: auto}, {serviceTier: auto}]
  - [{service_tier: standard_only}, {serviceTier: default}]
  - [{thinking: {type: enabled, budget_tokens: 4096}}, {reasoning: {budget: 4096}}]
  - [{service_tier: batch}, {serviceTier: batch}]
  - [{output_config: {effort: minimal}}, {reasoning: {effort: minimal}}]
  - - {thinking: {type: enabled, budget_tokens: 4096, display: summarized}, output_config: {effort: low}}
    - {reasoning: {effort: low, budget: 4096, show: true}}
  - - {thinking: {type: adaptive, display: omitted}, output_config: {effort: xhigh}}
    - {reasoning: {effort: xhigh, adaptive: true, show: false}}
  - [{thinking: {type: disabled}}, {reasoning: {effort: none}}]
  - [{output_config: {effort: max}}, {reasoning: {effort: max}}]
  - - {thinking: {type: between_tools}}
    - {extensions: {messages: {thinking: {type: between_tools}}}, vendorFields: {format: messages, names: [thinking]}}
  - [{output_config: {format: {type: json_schema, schema: {a: 1}}}}, {output: {type: schema, schema: {a: 1}}}]
  - [{output_format: {type: json_schema, schema: {a: 1}}}, {output: {type: schema, schema: {a: 1}}}]
  - - cache_control: {type: ephemeral}
      context_management: {edits: []}
      speed: fast
      output_config: {effort: low, task_budget: 5}
      metadata: {user_id: u, x: 1}
      container: null
    - reasoning: {effort: low}
      user: u
      extensions: {messages: {cache_control: {type: ephemeral}, context_management: {edits: []}, speed: fast, output_config: {task_budget: 5}, metadata: {x: 1}}}
  - - tools:
      - {name: f, description: d, input_schema: {a: 1}, strict: true}
      - {type: custom, name: g, input_schema: {type: object}, eager_input_streaming: true, cache_control: {type: ephemeral}}
      - {type: null, name: h, input_schema: {a: 1}}
      - {type: web_search_20250305, name: web_search, max_uses: 3}
    - tools:
      - {type: function, name: f, description: d, parameters: {a: 1}, strict: true}
      - {type: function, name: g, parameters: {type: object}, cache: {}}
      - {type: function, name: h, parameters: {a: 1}}
      - {type: web-search, own: {format: messages, value: {type: web_search_20250305, name: web_search, max_uses: 3}}}
  - [{tool_choice: {type: any, disable_parallel_tool_use: true}}, {toolChoice: {type: required}, parallelToolCalls: false}]
  - [{tool_choice: {type: tool, name: f, disable_parallel_tool_use: false}}, {toolChoice: {type: tool, name: f}}]
`,
  )('the settings %j are mapped', (fields, expected) => {
    expect(canonical(fields)).toEqual({ ...canonical({}), ...expected });
  });

  /** A value of each field of the table. */
  const samples: Record<string, object> = {
    messages: {},
    system: { system: 'Be brief.' },
    max_tokens: { max_tokens: 9 },
    temperature: { temperature: 0 },
    top_p: { top_p: 0.5 },
    top_k: { top_k: 3 },
    stop_sequences: { stop_sequences: ['END'] },
    'output_config.effort': { output_config: { effort: 'low' } },
    thinking: { thinking: { type: 'adaptive' } },
    'output_config.format': { output_config: { format: { type: 'json_schema', schema: {} } } },
    tools: { tools: [{ name: 'f', input_schema: {} }] },
    tool_choice: { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    service_tier: { service_tier: 'auto' },
    'metadata.user_id': { metadata: { user_id: 'u' } },
  };

  test.each(Object.entries(messagesFields.paths))('the field %s is read as %s alone', (name, path) => {
    const request = canonical(samples[name] as object);
    expect(request).toHaveProperty(path);
    expect(request).not.toHaveProperty('extensions');
  });

  const ofUser = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
  const ofModel = (...content: unknown[]) => ({ messages: [ask, { role: 'assistant', content }] });
  test.each<[string, object]>([
    ['messages.0.content.0.text: Field required', ofUser({ type: 'text' })],
    ['messages.0.content.0.source: Field required', ofUser({ type: 'image' })],
    [
      "messages.0.content.0.source.type: Input should be 'base64', 'url' or 'file'",
      ofUser({ type: 'image', source: { type: 'tape' } }),
    ],
    [
      'messages.0.content.0.source.data: Field required',
      ofUser({ type: 'document', source: { type: 'text' } }),
    ],
    ['messages.1.content.0.name: Field required', ofModel({ type: 'tool_use', id: 't' })],
    [
      'messages.1.content.0.input: Input should be a valid object',
      ofModel({ type: 'tool_use', id: 't', name: 'f', input: '{}' }),
    ],
    ['messages.1.content.0.thinking: Field required', ofModel({ type: 'thinking', signature: 'x' })],
    ['messages.0.content.0.tool_use_id: Field required', ofUser({ type: 'tool_result' })],
    [
      'messages.0.content.0.content.0.text: Field required',
      ofUser({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text' }] }),
    ],
    ["system.0.type: Input should be 'text'", { system: [{ type: 'image' }] }],
    ['tools.0.name: Field required', { tools: [{ input_schema: {} }] }],
    ['tools.0.input_schema: Field required', { tools: [{ name: 'f' }] }],
    ["tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'", { tool_choice: { type: 'maybe' } }],
    ['tool_choice.name: Field required', { tool_choice: { type: 'tool' } }],
    ['thinking.budget_tokens: Field required', { thinking: { type: 'enabled' } }],
    ["output_config.effort: 'huge' is not a known effort", { output_config: { effort: 'huge' } }],
    [
      "output_config.format.type: Input should be 'json_schema'",
      { output_config: { format: { type: 'xml' } } },
    ],
    ['output_format.schema: Field required', { output_format: { type: 'json_schema' } }],
  ])('an untranslatable field is named in the error: %s', (message, fields) => {
    const request = parsed(fields);
    expect(refusal(() => request.canonical())).toMatchObject({ kind: 'invalid-request', message });
  });

  describe('compaction', () => {
    test.each<[object, string[] | undefined]>([
      [{ compaction: { type: 'summarize' } }, ['compaction']],
      [{ compaction: null }, undefined],
      [
        {
          context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] },
        },
        ['context_management'],
      ],
      // Claude Code sends edits that only clear what is old.
      [{ context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }, undefined],
      [{ context_management: { edits: 'x' } }, undefined],
    ])('the vendor alone can do what %j asks for: %j', (fields, names) => {
      expect(canonical(fields).vendorFields).toEqual(names && { format: 'messages', names });
    });
  });

  test('the most output is the maximum of the request', () => {
    expect(parsed({ max_tokens: 70 }).maxTokens).toBe(70);
  });
});

describe('what a request asks for beside tokens', () => {
  const extrasOf = (fields: object) =>
    parse({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }], ...fields }, {}).extras;
  const tool = (type: string) => ({ tools: [{ type, name: 'x' }] });

  test.each([
    [{}],
    [{ tools: [{ name: 'f', input_schema: { type: 'object' } }] }],
    [tool('bash_20250124')],
    [tool('text_editor_20250728')],
    [tool('memory_20250818')],
    [{ ...tool('web_search_20250305'), tool_choice: { type: 'none' } }],
    [{ service_tier: 'standard_only', mcp_servers: [] }],
  ])('%j asks for nothing beside tokens', fields => {
    expect(extrasOf(fields)).toBeUndefined();
  });

  test.each([
    [tool('web_search_20250305'), { name: 'web_search', field: 'tools' }],
    [tool('web_fetch_20250910'), { name: 'web_fetch', field: 'tools', own: true }],
    [tool('code_execution_20250825'), { name: 'code_execution', field: 'tools', own: true }],
    [{ mcp_servers: [{ type: 'url', url: 'https://x' }] }, { name: 'mcp', field: 'mcp_servers', own: true }],
  ])('%j asks for a hosted tool', (fields, expected) => {
    expect(extrasOf(fields)).toEqual({ format: 'messages', tools: [expected] });
  });

  test('the fast mode is a tier of its own', () => {
    expect(extrasOf({ speed: 'fast' })).toEqual({ format: 'messages', tier: 'fast' });
  });
});

describe('a token count', () => {
  const messages = [{ role: 'user', content: 'Hello' }];

  test('a token count covers the request that generate would send', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' } }];
    const body = { model: 'm', system: 'Be brief.', messages, tools, tool_choice: { type: 'any' } };
    const { model, canonical } = parseCount(body, {});
    expect(model).toBe('m');
    expect(canonical()).toEqual({
      messages: [system('Be brief.'), user('Hello')],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
      toolChoice: { type: 'required' },
      ...{ userFirst: true, signaturesBefore: true },
    });
    expect(countRenderer.count(7)).toEqual({ input_tokens: 7 });
  });

  test.each([
    ['model: Field required', { messages }],
    ['messages: List should have at least 1 item', { model: 'm', messages: [] }],
    ['messages.0.role: Field required', { model: 'm', messages: [{ content: 'x' }] }],
    ['thread: threads are not supported', { model: 'm', messages, thread: { type: 'continue' } }],
  ])('a body with an invalid field is rejected: %s', (message, body) => {
    expect(() => parseCount(body, {})).toThrow(message);
  });
});
