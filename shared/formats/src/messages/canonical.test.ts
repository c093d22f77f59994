import type { GenerateRequest } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  cached,
  call,
  failed,
  file,
  link,
  media,
  opaque,
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
import { messagesFields } from './fields.ts';
import { parse } from './parse.ts';

const ask = { role: 'user', content: 'Hi' };
const parsed = (fields: object) => parse({ model: 'm', max_tokens: 5, messages: [ask], ...fields }, {});

/** The request as it crosses the bus, without the traits that all requests of the format have. */
function canonical(fields: object): GenerateRequest {
  const sent = JSON.parse(JSON.stringify(parsed(fields).canonical()));
  const { userFirst, signaturesBefore, ...request } = sent;
  expect([userFirst, signaturesBefore]).toEqual([true, true]);
  return request;
}
const turns = (...messages: unknown[]) => canonical({ messages }).messages;
const userTurn = (...content: unknown[]) => turns({ role: 'user', content });
const assistantTurn = (...content: unknown[]) => turns({ role: 'assistant', content });

test('a minimal request has only the fields that were set', () => {
  expect(canonical({})).toEqual({ messages: [user('Hi')], maxTokens: 5 });
});

describe('instructions', () => {
  test('instructions may be a string, or blocks with cache breakpoints', () => {
    expect(canonical({ system: 'Be brief.' }).messages[0]).toEqual(system('Be brief.'));
    const block = (value: string, more: object = {}) => ({
      ...{ type: 'text', text: value, cache_control: { type: 'ephemeral', ...more } },
    });
    const [told] = canonical({ system: [block('a'), block('b', { ttl: '1h' })] }).messages;
    expect(told).toEqual(system(cached('a'), cached('b', { ttl: '1h' })));
  });

  test.each(['', [], null])('the system field %j means no instructions', system => {
    expect(canonical({ system }).messages).toHaveLength(1);
  });

  test('instructions among the messages keep their position', () => {
    const later = { role: 'system', content: 'Now in French.' };
    const messages = turns(ask, later, { role: 'assistant', content: 'Oui' });
    expect(messages).toEqual([user('Hi'), system('Now in French.'), says('Oui')]);
  });
});

describe('a user block', () => {
  const png = bytes('iVBORw0KGgo=');
  const image = (mediaType: string, more: object = {}) => media('image', png, { mediaType, ...more });
  const plain = (value: string, more: object = {}) =>
    media('document', { type: 'text', text: value }, { mediaType: 'text/plain', ...more });
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const chunks = (...content: object[]) => ({
    type: 'document',
    title: 'T',
    source: { type: 'content', content },
  });
  const block = (type: string, source: object, more: object = {}) => ({ type, source, ...more });
  const mark = { cache_control: { type: 'ephemeral' } };

  test.each<[string, object, Parameters<typeof user>]>([
    [
      'text with a cache breakpoint',
      { ...text('hi'), cache_control: { type: 'ephemeral', ttl: '5m' } },
      [cached('hi', { ttl: '5m' })],
    ],
    [
      'image',
      block('image', { ...png, media_type: 'image/jpg' }, mark),
      [image('image/jpeg', { cache: {} })],
    ],
    ['image, link', block('image', link('https://i/a')), [media('image', link('https://i/a'))]],
    ['image, file', block('image', { type: 'file', file_id: 'f' }), [media('image', file('f', 'messages'))]],
    [
      'document, base64, with title and context',
      block('document', pdf, { title: 'A', context: 'c', citations: { enabled: true } }),
      ['c', media('document', bytes('JVBERi0='), { mediaType: 'application/pdf', name: 'A' })],
    ],
    [
      'document, text',
      block('document', { type: 'text', media_type: 'text/plain', data: 'x' }),
      [plain('x')],
    ],
    ['document, link', block('document', link('https://x/a')), [media('document', link('https://x/a'))]],
    [
      'document, file',
      block('document', { type: 'file', file_id: 'f' }),
      [media('document', file('f', 'messages'))],
    ],
    ['document, chunks', chunks(text('a'), text('b')), [plain('a\n\nb', { name: 'T' })]],
    [
      'document, chunks with an image',
      chunks(text('a'), block('image', { ...png, media_type: 'image/png' })),
      ['T', 'a', image('image/png')],
    ],
    ...['search_result', 'container_upload', 'hologram', 'constructor'].map(
      (type): [string, object, Parameters<typeof user>] => [
        ...([`${type}, which is kept unchanged`, { type, anything: { big: [1] } }] as const),
        [opaque({ type, anything: { big: [1] } })],
      ],
    ),
  ])('a user block is parsed: %s', (_what, block, parts) => {
    expect(userTurn(block)).toEqual([user(...parts)]);
  });
});

describe('an assistant block', () => {
  const think = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature });
  const use = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'f', ...more });
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } };

  test.each<[string, object, Parameters<typeof says>[0]]>([
    ['text', { type: 'text', text: 'hi', citations: null }, 'hi'],
    [
      'tool_use',
      use('t', { input: { b: 1, a: 'x' }, caller: { type: 'direct' } }),
      call('t', '{"b":1,"a":"x"}'),
    ],
    [
      'tool_use without input',
      use('t', { cache_control: { type: 'ephemeral' } }),
      call('t', '{}', { cache: {} }),
    ],
    ['thinking', think('hm', 'EqQB'), thought('hm', signed('EqQB'))],
    ['thinking without text', think('', 'EqQB'), thought('', signed('EqQB'))],
    ['thinking without a signature', think('hm', ''), thought('hm')],
    ['thinking of another vendor', think('', 'gg:Q2lR'), thought('', signed('Q2lR', 'generate-content'))],
    ['redacted_thinking', { type: 'redacted_thinking', data: 'EmwK' }, redacted('EmwK')],
    ['server_tool_use, which is kept unchanged', search, opaque(search)],
  ])('an assistant block is parsed: %s', (_what, block, part) => {
    expect(assistantTurn(block)).toEqual([says(part)]);
  });

  test('assistant blocks keep their order', () => {
    const blocks = [text('a'), think('', 'x'), think('t', 'y'), use('t', { input: {} })];
    expect(assistantTurn(...blocks)).toEqual([
      says('a', thought('', signed('x')), thought('t', signed('y')), call('t')),
    ]);
  });

  test('a signature in empty thinking moves to the call after it if its vendor signs calls', () => {
    const google = (value: string) => signed(value, 'generate-content');
    const blocks = [think('', 'gg:A'), use('a'), use('b'), think('Hm', 'gg:B'), use('c')];
    expect(assistantTurn(...blocks)).toEqual([
      says(call('a', '{}', google('A')), call('b'), thought('Hm', google('B')), call('c')),
    ]);
    const own = assistantTurn(think('', 'EqQB'), use('a'));
    expect(own).toEqual([says(thought('', signed('EqQB')), call('a'))]);
    expect(assistantTurn(think('', 'gg:A'))).toEqual([says(thought('', google('A')))]);
  });
});

describe('tool results', () => {
  const answer = (id: string, fields = {}) => ({ type: 'tool_result', tool_use_id: id, ...fields });
  const reference = { type: 'tool_reference', tool_name: 'g' };
  const image = { type: 'image', source: link('https://i.example/a') };
  const rich = [text('a'), image, reference];

  test.each([
    [{}, result('t')],
    [{ content: '' }, result('t')],
    [{ content: '4 C' }, result('t', '4 C')],
    [{ content: 'x', is_error: true }, failed(result('t', 'x'))],
    [{ content: 'x', is_error: false }, result('t', 'x')],
    [
      { content: rich, cache_control: { type: 'ephemeral', ttl: '1h' } },
      {
        ...result('t', 'a', media('image', link('https://i.example/a')), opaque(reference)),
        cache: { ttl: '1h' },
      },
    ],
  ])('a tool result is parsed: %j', (fields, expected) => {
    expect(userTurn(answer('t', fields))).toEqual([tells(expected as ReturnType<typeof result>)]);
  });

  test('tool results of one turn become one message before the user parts', () => {
    const blocks = [text('first'), answer('a', { content: '1' }), answer('b'), text('last')];
    expect(userTurn(...blocks)).toEqual([tells(result('a', '1'), result('b')), user('first', 'last')]);
  });
});

test.each(
  rows<[object, object]>`
  - [{temperature: 0, top_p: 0.5, top_k: 3}, {temperature: 0, topP: 0.5, topK: 3}]
  - [{tool_choice: {type: auto}}, {toolChoice: {type: auto}}]
  - [{tool_choice: {type: none}}, {toolChoice: {type: none}}]
  - [{stop_sequences: [END, ' ']}, {stop: [END, ' ']}]
  - [{metadata: {user_id: null}}, {}]
  - [{service_tier: auto}, {serviceTier: auto}]
  - [{service_tier: standard_only}, {serviceTier: default}]
  - [{service_tier: batch}, {serviceTier: batch}]
  - [{thinking: {type: enabled, budget_tokens: 4096}}, {reasoning: {budget: 4096}}]
  - - {thinking: {type: enabled, budget_tokens: 4096, display: summarized}, output_config: {effort: low}}
    - {reasoning: {effort: low, budget: 4096, show: true}}
  - - {thinking: {type: adaptive, display: omitted}, output_config: {effort: xhigh}}
    - {reasoning: {effort: xhigh, adaptive: true, show: false}}
  - [{thinking: {type: disabled}}, {reasoning: {effort: none}}]
  - [{output_config: {effort: max}}, {reasoning: {effort: max}}]
  - [{output_config: {effort: minimal}}, {reasoning: {effort: minimal}}]
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
      { context_management: { edits: [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }] } },
      ['context_management'],
    ],
    // Claude Code sends edits that only clear what is old.
    [{ context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }, undefined],
    [{ context_management: { edits: 'x' } }, undefined],
  ])('the vendor alone can do what %j asks for: %j', (fields, names) => {
    expect(canonical(fields).vendorFields).toEqual(names && { format: 'messages', names });
  });

  test("the vendor's summary of an earlier conversation is carried as text", () => {
    const block = {
      type: 'compaction',
      content: 'We spoke of cats.',
      encrypted_content: 'x',
      signature: 's',
    };
    expect(assistantTurn(block)).toEqual([says('We spoke of cats.')]);
    expect(userTurn(block, { type: 'text', text: 'And dogs?' })).toEqual([
      user(text('We spoke of cats.'), text('And dogs?')),
    ]);
  });

  test('a summary that failed counts for nothing, and one that cannot be read is refused', () => {
    const failedBlock = { type: 'compaction', content: null };
    expect(userTurn(failedBlock, { type: 'text', text: 'Hi' })).toEqual([user(text('Hi'))]);
    expect(refusal(() => userTurn({ ...failedBlock, encrypted_content: 'x' }))).toMatchObject({
      kind: 'invalid-request',
      param: 'messages.0.content.0',
    });
  });
});

test('the most output is the maximum of the request', () => {
  expect(parsed({ max_tokens: 70 }).maxTokens).toBe(70);
});
