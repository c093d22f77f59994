import { refusal as refused } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  cached,
  call,
  file,
  link,
  media,
  redacted,
  result,
  says,
  signed,
  system,
  tells,
  text,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const hi = { role: 'user', content: 'Hi', name: 'ann' };
const body = (fields: object) => ({ model: 'm', messages: [hi], ...fields });
const canonical = (fields: object = {}) => parse(body(fields)).canonical();
const messages = (...turns: object[]) => canonical({ messages: turns }).messages;
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
  - [{user: u}, {user: u}]
  - [{user: u, safety_identifier: s}, {user: s}]
  - [{metadata: {a: b}}, {metadata: {a: b}}]
  - [{prompt_cache_key: k}, {cacheKey: k, extensions: {chat: {prompt_cache_key: k}}}]
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
  test('instructions keep their position, and speakers no name', () => {
    const developer = { role: 'developer', content: 'a' };
    const told = { role: 'system', content: [text('b')] };
    expect(messages(developer, hi, told, hi)).toEqual([system('a'), user('Hi'), system('b'), user('Hi')]);
    expect(messages(developer)).toEqual([system('a')]);
  });

  const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } });
  const audio = (format: string) => ({ type: 'input_audio', input_audio: { data: 'AA==', format } });
  const doc = (type: string, data: string) => ({
    ...{ type: 'file', file: { file_data: `data:${type};base64,${data}`, filename: 'a.txt' } },
  });
  test.each([
    [image('data:image/jpg;base64,iVBO'), media('image', bytes('iVBO'), { mediaType: 'image/jpeg' })],
    [
      image('data:image/svg+xml,%3Csvg%2F%3E'),
      media('image', bytes(btoa('<svg/>')), { mediaType: 'image/svg+xml' }),
    ],
    [image('https://x.example/a.png'), media('image', link('https://x.example/a.png'))],
    [
      { type: 'image_url', image_url: 'https://x.example/a.png' },
      media('image', link('https://x.example/a.png')),
    ],
    [
      { type: 'image_url', image_url: 'data:image/png;base64,iVBO' },
      media('image', bytes('iVBO'), { mediaType: 'image/png' }),
    ],
    [image('data:image/png;base64,iV\r\nBO\n'), media('image', bytes('iVBO'), { mediaType: 'image/png' })],
    [
      { type: 'input_audio', input_audio: { data: 'AA\n==', format: 'wav' } },
      media('audio', bytes('AA=='), { mediaType: 'audio/wav' }),
    ],
    [
      doc('text/plain', 'JVBERi0xLjc='),
      media('document', bytes('JVBERi0xLjc='), { mediaType: 'text/plain', name: 'a.txt' }),
    ],
    [audio('mp3'), media('audio', bytes('AA=='), { mediaType: 'audio/mpeg' })],
    [audio('wav'), media('audio', bytes('AA=='), { mediaType: 'audio/wav' })],
    [
      doc('application/pdf', 'JVBE'),
      media('document', bytes('JVBE'), { mediaType: 'application/pdf', name: 'a.txt' }),
    ],
    [
      doc('text/plain', 'SGk='),
      media('document', { type: 'text', text: 'Hi' }, { mediaType: 'text/plain', name: 'a.txt' }),
    ],
    [{ type: 'file', file: { file_id: 'file-1' } }, media('document', file('file-1', 'chat'))],
  ])('a user message may contain %j', (part, expected) => {
    expect(messages({ role: 'user', content: [part] })).toEqual([user(expected)]);
  });

  test('cache breakpoints on parts and messages are kept', () => {
    const cache_control = { type: 'ephemeral' };
    const marked = { ...text('a'), cache_control: { ...cache_control, ttl: '1h' } };
    const explicit = { ...text('c'), prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
    const turns = [
      { role: 'system', content: [marked, text('b')] },
      { ...hi, cache_control },
    ];
    expect(messages(...turns, { role: 'user', content: [explicit] })).toEqual([
      ...[system(cached('a', { ttl: '1h' }), 'b'), user(cached('Hi')), user(cached('c'))],
    ]);
  });

  test('pitfall 11: results of one turn are one message', () => {
    const turns = [hi, calls(fn('a'), fn('b', '')), answers('b', [text('18 C')]), answers('a'), hi];
    expect(messages(...turns).slice(1)).toEqual([
      ...[says(call('a'), call('b', '')), tells(result('b', '18 C'), result('a', '4 C')), user('Hi')],
    ]);
  });

  test('pitfall 28: text and refusal are kept beside calls; pitfall 16: empty text is dropped', () => {
    const turn = (content: unknown, more = {}) =>
      messages(hi, { ...calls(fn('a')), content, ...more }, answers('a'))[1];
    const refuses = (value: string) => ({ type: 'refusal', text: value }) as const;
    expect(turn('So')).toEqual(says('So', call('a')));
    expect(turn('')).toEqual(says(call('a')));
    const said = turn([{ type: 'refusal', refusal: 'No' }], { refusal: 'Never' });
    expect(said).toEqual(says(refuses('No'), refuses('Never'), call('a')));
  });

  test('pitfall 18: reasoning blocks keep their order and signatures, even without text', () => {
    const block = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature });
    const thinking_blocks = [
      ...[block('Hm', 'EqQB'), block('', 'EqQC'), { type: 'redacted_thinking', data: 'EmwK' }],
      ...[block('gg', 'gg:sig'), block('open', '')],
    ];
    const turn = { role: 'assistant', content: 'x', reasoning_content: 'Hm', thinking_blocks };
    expect(messages(hi, turn, hi)[1]).toEqual(
      says(
        ...[thought('Hm', signed('EqQB')), thought('', signed('EqQC')), redacted('EmwK')],
        ...[thought('gg', signed('sig', 'generate-content')), thought('open'), 'x'],
      ),
    );
  });

  test.each(['reasoning_content', 'reasoning'])('%s alone is unsigned reasoning', field => {
    const turn = { role: 'assistant', content: 'x', [field]: 'Hm' };
    expect(messages(hi, turn, hi)[1]).toEqual(says(thought('Hm'), 'x'));
  });

  test('pitfall 4, 5: call signatures are read from every place that clients use, and removed from ids', () => {
    const signature = { thought_signature: 's+/=' };
    const google = { ...fn('a'), extra_content: { google: signature } };
    const provider = { ...fn('b'), provider_specific_fields: signature };
    const turns = [hi, calls(google, provider, fn('c__thought__s+/='))];
    const results = ['a', 'b', 'c__thought__s+/='].map(id => answers(id));
    const own = signed('s+/=', 'generate-content');
    expect(messages(...turns, ...results).slice(1)).toEqual([
      says(...['a', 'b', 'c'].map(id => call(id, '{}', own))),
      tells(...['a', 'b', 'c'].map(id => result(id, '4 C'))),
    ]);
  });

  test('a legacy function call is matched to its result by name', () => {
    const function_call = { name: 'f', arguments: '{}' };
    const turn = { role: 'assistant', content: null, function_call };
    expect(messages(hi, turn, { role: 'function', name: 'f', content: null }).slice(1)).toEqual([
      ...[says(call('call_messages1')), tells(result('call_messages1', ''))],
    ]);
  });

  test.each<[unknown, string]>([
    ['{"city":', '{"_raw":"{\\"city\\":"}'],
    ['not JSON', '{"_raw":"not JSON"}'],
    [{ city: 'Oslo' }, '{"city":"Oslo"}'],
    [[], '[]'],
    [null, ''],
  ])('the arguments %j, which are no JSON text, are kept', (args, expected) => {
    const turns = [hi, calls(fn('a', args as string)), answers('a')];
    expect(messages(...turns)[1]).toEqual(says(call('a', expected)));
    const legacy = { role: 'assistant', content: null, function_call: { name: 'f', arguments: args } };
    expect(messages(hi, legacy, { role: 'function', name: 'f', content: 'x' })[1]).toEqual(
      says(call('call_messages1', expected)),
    );
  });

  test('two calls of one id in a turn need one result at least', () => {
    const turns = [hi, calls(fn('a'), fn('a', '{"x":1}'))];
    const asked = says(call('a'), call('a', '{"x":1}'));
    expect(messages(...turns, answers('a'), hi)).toEqual([
      user('Hi'),
      asked,
      tells(result('a', '4 C')),
      user('Hi'),
    ]);
    expect(messages(...turns, answers('a'), answers('a', 'x')).slice(1)).toEqual([
      ...[asked, tells(result('a', '4 C'), result('a', 'x'))],
    ]);
  });

  test.each<[object[], object[]]>([
    [[{ role: 'assistant', content: null, reasoning_content: 'Hm' }], [says(thought('Hm'))]],
    [[{ role: 'assistant', content: null }], [says()]],
    [[{ role: 'assistant', reasoning: 'Hm' }], [says(thought('Hm'))]],
    [
      [calls(fn('a')), answers('a', null)],
      [says(call('a')), tells(result('a'))],
    ],
    [
      [calls(fn('a')), { role: 'tool', tool_call_id: 'a' }],
      [says(call('a')), tells(result('a'))],
    ],
  ])('messages without content, as upstreams and clients write them, are read: %j', (turns, expected) => {
    expect(messages(hi, ...turns).slice(1)).toEqual(expected);
  });

  test('reasoning in details keeps all of it', () => {
    const text = { type: 'reasoning.text', text: 'Hm', signature: 'sig', index: 0 };
    const encrypted = { type: 'reasoning.encrypted', data: 'EmwK' };
    const turn = { role: 'assistant', content: 'x', reasoning: 'Hm', reasoning_details: [text, encrypted] };
    const { text: _, ...rest } = text;
    expect(messages(hi, turn, hi)[1]).toEqual(
      says(
        thought('Hm', signed(JSON.stringify(rest), 'chat')),
        thought('', { redacted: true, ...signed(JSON.stringify(encrypted), 'chat') }),
        'x',
      ),
    );
  });

  test('a custom call has free text', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } };
    const sql = call('a', 'SELECT 1', { name: 'sql', custom: true });
    expect(messages(hi, calls(custom), answers('a'))[1]).toEqual(says(sql));
  });

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
  const called = (tool_call: unknown) => ({ messages: [hi, { role: 'assistant', tool_calls: [tool_call] }] });
  const at = 'messages[1].tool_calls[0]';
  const missing = 'missing_required_parameter';
  test.each<[object, string, string]>([
    [called({ id: 'a', type: 'function', function: {} }), `${at}.function.name`, missing],
    [called({ id: 'a', type: 'function' }), `${at}.function`, missing],
    [called({ id: 'a', function: { name: 3 } }), `${at}.function.name`, 'invalid_type'],
    [called({ id: 'a', function: { name: 'f', arguments: 5 } }), `${at}.function.arguments`, 'invalid_type'],
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
