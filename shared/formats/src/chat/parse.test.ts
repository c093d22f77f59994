import { refusal as refused } from '@model-gateway/canonical/testing/events';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { testFixtures, unusual } from '../testing/fixtures.ts';
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

describe('a translated request', () => {
  const hi = { role: 'user', content: 'Hi', name: 'ann' };
  const body = (fields: object) => ({ model: 'm', messages: [hi], ...fields });
  const canonical = (fields: object = {}) => parse(body(fields)).canonical();
  testFixtures(import.meta.dirname, 'parse', (fields: object) => unusual(canonical(fields), canonical()));

  const refusal = (fields: object) => refused(() => canonical(fields));

  const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls });
  const fn = (id: string, args: string | null = '{}') => ({
    ...{ id, type: 'function', function: { name: 'f', arguments: args } },
  });
  const answers = (id: string, content: unknown = '4 C') => ({ role: 'tool', tool_call_id: id, content });

  test.each(
    rows<[object, object]>`
  - [{max_tokens: 5}, {maxTokens: 5}]
  - [{temperature: 0, top_p: 1, top_k: 3, n: 2, seed: 7}, {temperature: 0, topP: 1, topK: 3, n: 2, seed: 7}]
  - - {presence_penalty: 1, frequency_penalty: -1, parallel_tool_calls: false}
    - {presencePenalty: 1, frequencyPenalty: -1, parallelToolCalls: false}
  - [{max_tokens: 5, max_completion_tokens: 7}, {maxTokens: 7}]
  - [{stop: END}, {stop: [END]}]
  - [{logprobs: true, top_logprobs: 2}, {logprobs: {top: 2}}]
  - [{logprobs: true}, {logprobs: {}}]
  - [{logprobs: false, top_logprobs: 2}, {}]
  - [{logit_bias: {50256: -100}}, {logitBias: {50256: -100}}]
  - [{modalities: [text], verbosity: low, service_tier: flex}, {modalities: [text], verbosity: low, serviceTier: flex}]
  - [{prompt_cache_key: k}, {cacheKey: k, extensions: {chat: {prompt_cache_key: k}}}]
  - [{user: u}, {user: u}]
  - [{user: u, safety_identifier: s}, {user: s}]
  - [{metadata: {a: b}}, {metadata: {a: b}}]
  - [{reasoning_effort: low}, {reasoning: {effort: low, show: true}}]
  - [{reasoning_effort: none}, {reasoning: {effort: none}}]
  - [{reasoning_effort: default}, {reasoning: {adaptive: true, show: true}}]
  - [{reasoning_effort: disable}, {reasoning: {effort: none}}]
  - [{reasoning_effort: ultra}, {reasoning: {effort: max, show: true}}]
  - [{response_format: {type: text}}, {output: {type: text}}]
  - - {response_format: {type: json_schema, json_schema: {name: n, schema: {}, strict: true}}}
    - {output: {type: schema, name: n, schema: {}, strict: true}}
  - - {tools: [{type: function, function: {name: f, description: d, parameters: {}, strict: true}}]}
    - {tools: [{type: function, name: f, description: d, parameters: {}, strict: true}]}
  - - {tools: [{type: function, function: {name: f, strict: null}, cache_control: {type: ephemeral, ttl: 1h}}]}
    - {tools: [{type: function, name: f, cache: {ttl: 1h}}]}
  - [{tools: [{type: custom, custom: {name: c, format: {type: text}}}]}, {tools: [{type: custom, name: c, format: {type: text}}]}]
  - - {functions: [{name: f, parameters: {}}], function_call: {name: f}}
    - {tools: [{type: function, name: f, parameters: {}}], toolChoice: {type: tool, name: f}, parallelToolCalls: false}
  - - {tools: [{type: function, function: {name: f, parameters: []}}, {type: custom, custom: {name: c}}, {type: function, function: {name: f}}]}
    - {tools: [{type: custom, name: c}, {type: function, name: f}]}
  - - {tools: [{type: function, function: {name: f, parameters: {type: object, properties: []}}}]}
    - {tools: [{type: function, name: f, parameters: {type: object, properties: {}}}]}
  - [{tool_choice: {type: custom, custom: {name: c}}}, {toolChoice: {type: tool, name: c}}]
  - - {tool_choice: {type: allowed_tools, allowed_tools: {mode: required, tools: [{type: function, function: {name: f}}]}}}
    - {toolChoice: {type: required, names: [f]}}
  - - {store: true, prediction: {type: content, content: x}}
    - {extensions: {chat: {store: true, prediction: {type: content, content: x}}}}
  - [{stream: true, stream_options: {include_usage: true}, temperature: null, tools: null, stop: null, brand_new: null}, {}]
`,
  )('the fields %j are translated', (fields, expected) => {
    expect(canonical(fields)).toEqual({ messages: [user('Hi')], ...expected });
  });

  describe('messages', () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } });

    const part = (value: object) => [{ role: 'user', content: [value] }];
    const at = 'messages[0].content[0]';
    test.each<[string, object[], string]>([
      [
        'arguments that nest too deep',
        [hi, calls(fn('a'), fn('b', '['.repeat(600) + ']'.repeat(600))), answers('a'), answers('b')],
        'messages[1].tool_calls[1].function.arguments',
      ],
      [
        'a third result of two calls',
        [hi, calls(fn('a'), fn('a')), ...Array(3).fill(answers('a'))],
        'messages[4].tool_call_id',
      ],
      ['a result without a call', [hi, answers('x')], 'messages[1].tool_call_id'],
      ['a second result', [hi, calls(fn('a')), answers('a'), answers('a')], 'messages[3].tool_call_id'],
      [
        'a legacy result without a call',
        [hi, { role: 'function', name: 'f', content: 'x' }],
        'messages[1].name',
      ],
      ['calls without a result', [hi, calls(fn('a'), fn('b')), answers('a'), hi], 'messages[1]'],
      ['a call at the end', [hi, calls(fn('a'))], 'messages[1]'],
      ['stored audio', [hi, { role: 'assistant', audio: { id: 'a' } }, hi], 'messages[1].audio'],
      ['a part of an unknown type', part({ type: 'video_url' }), `${at}.type`],
      ['a part without its text', part({ type: 'text' }), `${at}.text`],
      ['a broken data URL', part(image('data:image/png')), `${at}.image_url.url`],
      ['a file without content', part({ type: 'file', file: {} }), `${at}.file.file_data`],
    ])('messages with %s are rejected only when translated', (_what, turns, param) => {
      expect(() => parse({ model: 'm', messages: turns })).not.toThrow();
      expect(refusal({ messages: turns })).toMatchObject({ kind: 'invalid-request', param });
    });

    test('calls without results are named in the error', () => {
      expect(refusal({ messages: [hi, calls(fn('a'), fn('b')), hi] })?.message).toContain('a, b');
    });
  });

  describe('errors name the field', () => {
    const called = (tool_call: unknown) => ({
      messages: [hi, { role: 'assistant', tool_calls: [tool_call] }],
    });
    const at = 'messages[1].tool_calls[0]';
    const missing = 'missing_required_parameter';
    test.each<[object, string, string]>([
      [called({ id: 'a', type: 'function', function: {} }), `${at}.function.name`, missing],
      [called({ id: 'a', type: 'function' }), `${at}.function`, missing],
      [called({ id: 'a', function: { name: 3 } }), `${at}.function.name`, 'invalid_type'],
      [
        called({ id: 'a', function: { name: 'f', arguments: 5 } }),
        `${at}.function.arguments`,
        'invalid_type',
      ],
      [called({ type: 'function', function: { name: 'f' } }), `${at}.id`, missing],
      [called({ id: 'a', type: 'custom' }), `${at}.custom`, missing],
      [called({ id: 'a', type: 'other' }), `${at}.type`, 'invalid_value'],
      [called(1), at, 'invalid_type'],
      [{ tools: [{ type: 'magic' }] }, 'tools[0].type', 'invalid_value'],
      [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', missing],
      [{ metadata: { a: 1 } }, 'metadata.a', 'invalid_type'],
      [{ response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
      [{ tool_choice: 'other' }, 'tool_choice', 'invalid_value'],
      [{ tool_choice: { type: 'other' } }, 'tool_choice.type', 'invalid_value'],
      [{ tool_choice: { type: 'custom', custom: {} } }, 'tool_choice.custom.name', missing],
      [
        { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'none', tools: [] } } },
        'tool_choice.allowed_tools.mode',
        'invalid_value',
      ],
      [{ function_call: 'other' }, 'function_call', 'invalid_value'],
      [{ function_call: {} }, 'function_call.name', missing],
    ])('%j is rejected with the name of the field, when translated', (fields, param, code) => {
      expect(() => parse(body(fields))).not.toThrow();
      const message = expect.stringContaining(`'${param}'`);
      expect(refusal(fields)).toMatchObject({ param, code, message });
    });

    test('an error lists the allowed values', () => {
      const other = refusal(called({ id: 'a', type: 'other' }));
      expect(other?.message).toContain("expected one of 'function', 'custom', but");
      expect(refusal({ tool_choice: 'other' })?.message).toContain("'none', 'auto', 'required' or an object");
    });

    test('arguments that nest too deeply are rejected', () => {
      const deep = refusal(called(fn('a', '['.repeat(600) + ']'.repeat(600))));
      const message = expect.stringContaining('levels deep');
      expect(deep).toMatchObject({ param: `${at}.function.arguments`, message });
    });
  });

  test('schemas keep exact numbers and keys such as __proto__', () => {
    const schema =
      '{"type":"object","maximum":12345678901234567890,"__proto__":{"a":1.0},"b":{"__proto__":{}}}';
    const fn = (name: string) => `{"name":"${name}","parameters":${schema}}`;
    const text = `{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":${fn('f')}}],
    "response_format":{"type":"json_schema","json_schema":{"name":"r","schema":${schema}}},"functions":[${fn('g')}]}`;
    const { tools, output } = parse(JSON.parse(text), {}, Buffer.from(text)).canonical();
    const tool = (name: string) => `{"type":"function","name":"${name}","parameters":${schema}}`;
    expect(JSON.stringify(tools)).toBe(`[${tool('f')},${tool('g')}]`);
    expect(JSON.stringify(output)).toBe(`{"type":"schema","schema":${schema},"name":"r"}`);
  });
});

describe('what a request asks for beside tokens', () => {
  const extrasOf = (fields: object) =>
    parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }).extras;

  test.each([
    [{}],
    [
      {
        tools: [
          { type: 'function', function: { name: 'f' } },
          { type: 'custom', custom: { name: 'c' } },
        ],
      },
    ],
    [{ web_search_options: null, plugins: [], search_parameters: { mode: 'off' } }],
    [{ service_tier: 'auto' }],
    [{ service_tier: 'default' }],
    [{ service_tier: null }],
  ])('%j asks for nothing beside tokens', fields => {
    expect(extrasOf(fields)).toBeUndefined();
  });

  test.each([
    [{ web_search_options: {} }, [{ name: 'web_search', field: 'web_search_options' }]],
    [
      { search_parameters: { mode: 'auto' } },
      [{ name: 'web_search', field: 'search_parameters', own: true }],
    ],
    [{ plugins: [{ id: 'web' }, { id: 'file-parser' }] }, [{ name: 'web_search' }, { name: 'file-parser' }]],
    [{ tools: [{ type: 'browser_search' }] }, [{ name: 'browser_search', field: 'tools', own: true }]],
  ])('%j asks for hosted tools', (fields, tools) => {
    expect(extrasOf(fields)).toMatchObject({ format: 'chat', tools });
  });

  test.each(['priority', 'flex', 'scale'])('the service tier %s is not the usual one', tier => {
    expect(extrasOf({ service_tier: tier })).toEqual({ format: 'chat', tier });
  });
});

describe('thinking', () => {
  const canonical = (fields: object) =>
    parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }).canonical();

  test.each(
    rows<[object, object | null]>`
  - [{thinking: {type: disabled}}, {effort: none}]
  - [{thinking: {type: enabled}}, {adaptive: true, show: true}]
  - [{thinking: {type: enabled, budget_tokens: 2000}}, {budget: 2000, show: true}]
  - [{thinking: {type: auto}}, {adaptive: true, show: true}]
  - [{enable_thinking: false}, {effort: none}]
  - [{enable_thinking: true}, {adaptive: true, show: true}]
  - [{enable_thinking: true, thinking_budget: 500}, {budget: 500, show: true}]
  - [{chat_template_kwargs: {enable_thinking: false}}, {effort: none}]
  - [{chat_template_kwargs: {thinking: false}}, {effort: none}]
  - [{chat_template_kwargs: {thinking: true}}, {adaptive: true, show: true}]
  - [{reasoning: {enabled: false}}, {effort: none}]
  - [{reasoning: {effort: none}}, {effort: none}]
  - [{reasoning: {effort: low, exclude: true}}, {effort: low, show: true}]
  - [{reasoning: {max_tokens: 2000}}, {budget: 2000, show: true}]
  - [{reasoning_effort: high, thinking: {type: disabled}}, {effort: none}]
  - [{reasoning_effort: high, enable_thinking: true}, {effort: high, show: true}]
  - [{chat_template_kwargs: {custom: 1}}, null]
  - [{thinking: yes, reasoning: 1, chat_template_kwargs: null}, null]
`,
  )('the fields %j of other chat servers are read as %j', (fields, reasoning) => {
    expect(canonical(fields).reasoning).toEqual(reasoning ?? undefined);
  });

  test('a level that no other vendor knows is refused if the request is translated', () => {
    expect(refused(() => canonical({ reasoning_effort: 'huge' }))).toMatchObject({
      ...{ kind: 'invalid-request', param: 'reasoning_effort', code: 'invalid_value' },
    });
  });
});
