import type { GenerateRequest } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const ask = { role: 'user', content: 'Hi' };
const base = { model: 'm', max_tokens: 5, messages: [ask] };

/** The request as it crosses the bus, without the traits that all requests of the format have. */
function canonical(fields: Record<string, unknown>): GenerateRequest {
  const { userFirst, signaturesBefore, ...request } = JSON.parse(
    JSON.stringify(parse({ ...base, ...fields }, {}).canonical()),
  );
  expect([userFirst, signaturesBefore]).toEqual([true, true]);
  return request;
}

const turns = (...messages: unknown[]) => canonical({ messages }).messages;
const userTurn = (...content: unknown[]) => turns({ role: 'user', content });
const assistantTurn = (...content: unknown[]) => turns({ role: 'assistant', content });

test('a minimal request has only the fields that were set', () => {
  expect(canonical({})).toEqual({
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    maxTokens: 5,
  });
});

describe('instructions', () => {
  test('instructions may be a string', () => {
    expect(canonical({ system: 'Be brief.' }).messages[0]).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'Be brief.' }],
    });
  });

  test('instructions may be blocks with cache breakpoints', () => {
    const system = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    expect(canonical({ system }).messages[0]).toEqual({
      role: 'system',
      content: [
        { type: 'text', text: 'a', cache: {} },
        { type: 'text', text: 'b', cache: { ttl: '1h' } },
      ],
    });
  });

  test.each(['', [], null])('the system field %j means no instructions', system => {
    expect(canonical({ system }).messages).toHaveLength(1);
  });

  test('instructions among the messages keep their position', () => {
    const messages = turns(
      ask,
      { role: 'system', content: 'Now in French.' },
      { role: 'assistant', content: 'Oui' },
    );
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system', 'assistant']);
  });
});

describe('a user block', () => {
  const png = { type: 'base64', data: 'iVBORw0KGgo=' };
  test.each<[string, object, object[]]>([
    ['text', { type: 'text', text: 'hi' }, [{ type: 'text', text: 'hi' }]],
    [
      'text with a cache breakpoint',
      { type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '5m' } },
      [{ type: 'text', text: 'hi', cache: { ttl: '5m' } }],
    ],
    [
      'image, base64',
      { type: 'image', source: { ...png, media_type: 'image/png' } },
      [{ type: 'media', kind: 'image', source: png, mediaType: 'image/png' }],
    ],
    [
      'image with the media type image/jpg',
      { type: 'image', source: { ...png, media_type: 'image/jpg' }, cache_control: { type: 'ephemeral' } },
      [{ type: 'media', kind: 'image', source: png, mediaType: 'image/jpeg', cache: {} }],
    ],
    [
      'image, link',
      { type: 'image', source: { type: 'url', url: 'https://i.example/a.png' } },
      [{ type: 'media', kind: 'image', source: { type: 'url', url: 'https://i.example/a.png' } }],
    ],
    [
      'image, file',
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      [{ type: 'media', kind: 'image', source: { type: 'file', id: 'file_1', format: 'messages' } }],
    ],
    [
      'document, base64, with title and context',
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'A',
        context: 'c',
        citations: { enabled: true },
      },
      [
        { type: 'text', text: 'c' },
        {
          type: 'media',
          kind: 'document',
          source: { type: 'base64', data: 'JVBERi0=' },
          mediaType: 'application/pdf',
          name: 'A',
        },
      ],
    ],
    [
      'document, text',
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
      [{ type: 'media', kind: 'document', source: { type: 'text', text: 'plain' }, mediaType: 'text/plain' }],
    ],
    [
      'document, link',
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      [{ type: 'media', kind: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } }],
    ],
    [
      'document, file',
      { type: 'document', source: { type: 'file', file_id: 'f' } },
      [{ type: 'media', kind: 'document', source: { type: 'file', id: 'f', format: 'messages' } }],
    ],
    [
      'document, chunks',
      {
        type: 'document',
        title: 'T',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      },
      [
        {
          type: 'media',
          kind: 'document',
          source: { type: 'text', text: 'a\n\nb' },
          mediaType: 'text/plain',
          name: 'T',
        },
      ],
    ],
    [
      'document, chunks with an image',
      {
        type: 'document',
        title: 'T',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image', source: { ...png, media_type: 'image/png' } },
          ],
        },
      },
      [
        { type: 'text', text: 'T' },
        { type: 'text', text: 'a' },
        { type: 'media', kind: 'image', source: png, mediaType: 'image/png' },
      ],
    ],
    ...['search_result', 'container_upload', 'hologram', 'constructor'].map(
      (type): [string, object, object[]] => [
        `${type}, which is kept unchanged`,
        { type, anything: { big: [1] } },
        [{ type: 'opaque', format: 'messages', value: { type, anything: { big: [1] } } }],
      ],
    ),
  ])('a user block is parsed: %s', (_what, block, parts) => {
    expect(userTurn(block)).toEqual([{ role: 'user', content: parts }]);
  });
});

describe('an assistant block', () => {
  test.each<[string, object, object]>([
    ['text', { type: 'text', text: 'hi', citations: null }, { type: 'text', text: 'hi' }],
    [
      'tool_use',
      { type: 'tool_use', id: 't1', name: 'f', input: { b: 1, a: 'x' }, caller: { type: 'direct' } },
      { type: 'tool-call', id: 't1', name: 'f', arguments: '{"b":1,"a":"x"}' },
    ],
    [
      'tool_use without input',
      { type: 'tool_use', id: 't1', name: 'f', cache_control: { type: 'ephemeral' } },
      { type: 'tool-call', id: 't1', name: 'f', arguments: '{}', cache: {} },
    ],
    [
      'thinking',
      { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
      { type: 'reasoning', text: 'hm', signature: { format: 'messages', value: 'EqQB' } },
    ],
    [
      'thinking without text',
      { type: 'thinking', thinking: '', signature: 'EqQB' },
      { type: 'reasoning', text: '', signature: { format: 'messages', value: 'EqQB' } },
    ],
    [
      'thinking without a signature',
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'reasoning', text: 'hm' },
    ],
    [
      'thinking of another vendor',
      { type: 'thinking', thinking: '', signature: 'gg:Q2lR' },
      { type: 'reasoning', text: '', signature: { format: 'generate-content', value: 'Q2lR' } },
    ],
    [
      'redacted_thinking',
      { type: 'redacted_thinking', data: 'EmwK' },
      { type: 'reasoning', text: '', redacted: true, signature: { format: 'messages', value: 'EmwK' } },
    ],
    [
      'server_tool_use, which is kept unchanged',
      { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      {
        type: 'opaque',
        format: 'messages',
        value: { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } },
      },
    ],
  ])('an assistant block is parsed: %s', (_what, block, part) => {
    expect(assistantTurn(block)).toEqual([{ role: 'assistant', content: [part] }]);
  });

  test('assistant blocks keep their order', () => {
    const [message] = assistantTurn(
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: '', signature: 'x' },
      { type: 'thinking', thinking: 't', signature: 'y' },
      { type: 'tool_use', id: 't', name: 'f', input: {} },
    );
    expect(message?.content.map(part => part.type)).toEqual(['text', 'reasoning', 'reasoning', 'tool-call']);
  });
});

test('a signature in empty thinking moves to the call after it if its vendor signs calls', () => {
  const think = (thinking: string, signature: string) => ({ type: 'thinking', thinking, signature });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const [turn] = assistantTurn(think('', 'gg:A'), use('a'), use('b'), think('Hm', 'gg:B'), use('c'));
  const signature = (value: string) => ({ signature: { format: 'generate-content', value } });
  const call = (id: string) => ({ type: 'tool-call', id, name: 'f', arguments: '{}' });
  expect(turn?.content).toEqual([
    { ...call('a'), ...signature('A') },
    call('b'),
    { type: 'reasoning', text: 'Hm', ...signature('B') },
    call('c'),
  ]);
  expect(assistantTurn(think('', 'EqQB'), use('a'))[0]?.content).toMatchObject([
    { type: 'reasoning' },
    call('a'),
  ]);
  expect(assistantTurn(think('', 'gg:A'))[0]?.content).toMatchObject([{ type: 'reasoning' }]);
});

describe('tool results', () => {
  const result = (id: string, fields = {}) => ({ type: 'tool_result', tool_use_id: id, ...fields });
  test.each<[string, object, object]>([
    ['absent', {}, { content: [] }],
    ['empty', { content: '' }, { content: [] }],
    ['a string', { content: '4 C' }, { content: [{ type: 'text', text: '4 C' }] }],
    ['a failure', { content: 'x', is_error: true }, { content: [{ type: 'text', text: 'x' }], error: true }],
    ['no failure', { content: 'x', is_error: false }, { content: [{ type: 'text', text: 'x' }] }],
    [
      'blocks, one of them unknown, with a cache breakpoint',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', source: { type: 'url', url: 'https://i.example/a' } },
          { type: 'tool_reference', tool_name: 'g' },
        ],
        cache_control: { type: 'ephemeral', ttl: '1h' },
      },
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'media', kind: 'image', source: { type: 'url', url: 'https://i.example/a' } },
          { type: 'opaque', format: 'messages', value: { type: 'tool_reference', tool_name: 'g' } },
        ],
        cache: { ttl: '1h' },
      },
    ],
  ])('a tool result is parsed: %s', (_what, fields, expected) => {
    expect(userTurn(result('t1', fields))).toEqual([
      { role: 'tool', content: [{ type: 'tool-result', callId: 't1', ...expected }] },
    ]);
  });

  test('tool results of one turn become one message before the user parts', () => {
    expect(
      userTurn({ type: 'text', text: 'first' }, result('a', { content: '1' }), result('b'), {
        type: 'text',
        text: 'last',
      }),
    ).toEqual([
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: '1' }] },
          { type: 'tool-result', callId: 'b', content: [] },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'first' },
          { type: 'text', text: 'last' },
        ],
      },
    ]);
  });
});

describe('settings', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const extension = (own: object) => ({ extensions: { messages: own } });
  test.each<[string, Record<string, unknown>, object]>([
    ['numbers', { temperature: 0, top_p: 0.5, top_k: 3 }, { temperature: 0, topP: 0.5, topK: 3 }],
    ['stop sequences', { stop_sequences: ['END', ' '] }, { stop: ['END', ' '] }],
    ['the user', { metadata: { user_id: 'hash-1' } }, { user: 'hash-1' }],
    ['no user', { metadata: { user_id: null } }, {}],
    ['tier auto', { service_tier: 'auto' }, { serviceTier: 'auto' }],
    ['tier standard_only', { service_tier: 'standard_only' }, { serviceTier: 'default' }],
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 4096 } }, { reasoning: { budget: 4096 } }],
    [
      'a budget with summarized thinking and an effort',
      {
        thinking: { type: 'enabled', budget_tokens: 4096, display: 'summarized' },
        output_config: { effort: 'low' },
      },
      { reasoning: { effort: 'low', budget: 4096, show: true } },
    ],
    [
      'adaptive thinking, hidden',
      { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'xhigh' } },
      { reasoning: { effort: 'xhigh', adaptive: true, show: false } },
    ],
    ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { effort: 'none' } }],
    ['an effort alone', { output_config: { effort: 'max' } }, { reasoning: { effort: 'max' } }],
    [
      'thinking that only this format has',
      { thinking: { type: 'between_tools' } },
      {
        ...extension({ thinking: { type: 'between_tools' } }),
        vendorFields: { format: 'messages', names: ['thinking'] },
      },
    ],
    [
      'a schema',
      { output_config: { format: { type: 'json_schema', schema } } },
      { output: { type: 'schema', schema } },
    ],
    [
      'a schema in its older place',
      { output_format: { type: 'json_schema', schema } },
      { output: { type: 'schema', schema } },
    ],
    [
      'fields that only this format has',
      {
        cache_control: { type: 'ephemeral' },
        context_management: { edits: [] },
        speed: 'fast',
        output_config: { effort: 'low', task_budget: 5 },
        metadata: { user_id: 'u', x: 1 },
        container: null,
      },
      {
        reasoning: { effort: 'low' },
        user: 'u',
        ...extension({
          cache_control: { type: 'ephemeral' },
          context_management: { edits: [] },
          speed: 'fast',
          output_config: { task_budget: 5 },
          metadata: { x: 1 },
        }),
      },
    ],
    [
      'tools',
      {
        tools: [
          { name: 'f', description: 'd', input_schema: schema, strict: true },
          {
            type: 'custom',
            name: 'g',
            input_schema: { type: 'object' },
            eager_input_streaming: true,
            cache_control: { type: 'ephemeral' },
          },
          { type: null, name: 'h', input_schema: schema },
          { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
        ],
      },
      {
        tools: [
          { type: 'function', name: 'f', description: 'd', parameters: schema, strict: true },
          { type: 'function', name: 'g', parameters: { type: 'object' }, cache: {} },
          { type: 'function', name: 'h', parameters: schema },
          {
            type: 'web-search',
            own: {
              format: 'messages',
              value: { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
            },
          },
        ],
      },
    ],
    ['choice auto', { tool_choice: { type: 'auto' } }, { toolChoice: { type: 'auto' } }],
    [
      'choice any, one at a time',
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { toolChoice: { type: 'required' }, parallelToolCalls: false },
    ],
    [
      'choice of a tool',
      { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: false } },
      { toolChoice: { type: 'tool', name: 'f' } },
    ],
    ['choice none', { tool_choice: { type: 'none' } }, { toolChoice: { type: 'none' } }],
  ])('settings are mapped: %s', (_what, fields, expected) => {
    const { messages: _, maxTokens: __, ...rest } = canonical(fields);
    expect(rest).toEqual(expected);
  });
});

describe('an untranslatable field is named in the error', () => {
  const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] });
  const model = (...content: unknown[]) => ({ messages: [ask, { role: 'assistant', content }] });
  test.each<[string, Record<string, unknown>]>([
    ['messages.0.content.0.text: Field required', user({ type: 'text' })],
    ['messages.0.content.0.source: Field required', user({ type: 'image' })],
    [
      "messages.0.content.0.source.type: Input should be 'base64', 'url' or 'file'",
      user({ type: 'image', source: { type: 'tape' } }),
    ],
    [
      'messages.0.content.0.source.data: Field required',
      user({ type: 'document', source: { type: 'text' } }),
    ],
    ['messages.1.content.0.name: Field required', model({ type: 'tool_use', id: 't' })],
    [
      'messages.1.content.0.input: Input should be a valid object',
      model({ type: 'tool_use', id: 't', name: 'f', input: '{}' }),
    ],
    ['messages.1.content.0.thinking: Field required', model({ type: 'thinking', signature: 'x' })],
    ['messages.0.content.0.tool_use_id: Field required', user({ type: 'tool_result' })],
    [
      'messages.0.content.0.content.0.text: Field required',
      user({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text' }] }),
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
  ])('%s', (message, fields) => {
    const request = parse({ ...base, ...fields }, {});
    let refused: unknown;
    try {
      request.canonical();
    } catch (thrown) {
      refused = thrown;
    }
    expect(refused).toMatchObject({ kind: 'invalid-request', message });
  });
});
