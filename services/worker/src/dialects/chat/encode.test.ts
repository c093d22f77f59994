import { type Envelope, GatewayError, type GenerateRequest, type Message } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { describe, expect, test } from 'vitest';
import { encodeInput, type InputFields } from '../../testing/encode-input.ts';
import type { GenerateInput } from '../dialect.ts';
import { chatDialect } from './dialect.ts';

const envelope = (format: Envelope['format'] = 'messages') => testEnvelope({ format });
const user: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };

function input(
  fields: Partial<GenerateRequest> = {},
  { envelope: sent = envelope(), ...more }: InputFields = {},
): GenerateInput {
  return encodeInput({ model: 'up-1', request: { messages: [user], ...fields }, ...more }, sent);
}

function encode(fields: Partial<GenerateRequest> = {}, more: InputFields = {}) {
  return JSON.parse(chatDialect.encode(input(fields, more)).body.toString());
}

function fieldOf({ details: { path, param } }: GatewayError) {
  return path === undefined ? { param } : { path };
}

function refusal(fields: Partial<GenerateRequest>) {
  try {
    encode(fields);
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, ...fieldOf(error) };
    throw error;
  }
  return undefined;
}

test('a final assistant message is sent to a server that continues it, and refused for others', () => {
  const begun: Message = { role: 'assistant', content: [{ type: 'text', text: 'It is' }] };
  const continued = { messages: [user, begun], continuesLastTurn: true };
  expect(encode(continued, { prefill: true }).messages.at(-1)).toEqual({
    role: 'assistant',
    content: 'It is',
  });
  expect(refusal(continued)).toMatchObject({ kind: 'invalid-request', path: 'messages' });
});

test('a request to a server without streams asks for none', () => {
  expect(encode({}, { drop: ['stream', 'stream_options'] })).not.toHaveProperty('stream');
});

const call = (id: string, args = '{"city":"Oslo"}') => ({
  type: 'tool-call' as const,
  id,
  name: 'weather',
  arguments: args,
});
const png = {
  type: 'media',
  kind: 'image',
  mediaType: 'image/png',
  source: { type: 'base64', data: 'iVBO' },
} as const;
const tools: GenerateRequest['tools'] = [
  { type: 'function', name: 'weather', parameters: { type: 'object' } },
  { type: 'function', name: 'clock' },
];

describe('a request', () => {
  test("a request is streamed with usage, under the upstream's model name", () => {
    expect(encode()).toEqual({
      model: 'up-1',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test.each<[string, Partial<GenerateRequest>, object]>([
    ['max tokens', { maxTokens: 9 }, { max_tokens: 9 }],
    ['sampling', { temperature: 0.5, topP: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
    ['stop', { stop: ['a'] }, { stop: ['a'] }],
    [
      'seed and penalties',
      { seed: 1, presencePenalty: 1, frequencyPenalty: 2 },
      { seed: 1, presence_penalty: 1, frequency_penalty: 2 },
    ],
    ['several choices and a bias', { n: 3, logitBias: { 5: 1 } }, { n: 3, logit_bias: { 5: 1 } }],
    ['effort', { reasoning: { effort: 'high', budget: 1 } }, { reasoning_effort: 'high' }],
    ['no reasoning', { reasoning: { budget: 0 } }, { reasoning_effort: 'none' }],
    ['budget 1024', { reasoning: { budget: 1024 } }, { reasoning_effort: 'low' }],
    ['budget 8192', { reasoning: { budget: 8192 } }, { reasoning_effort: 'medium' }],
    ['budget 24576', { reasoning: { budget: 24_576 } }, { reasoning_effort: 'high' }],
    ['budget 30000', { reasoning: { budget: 30_000 } }, { reasoning_effort: 'xhigh' }],
    [
      'schema without a name',
      { output: { type: 'schema', schema: { type: 'object' } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'response', schema: { type: 'object' } },
        },
      },
    ],
    ['json', { output: { type: 'json' } }, { response_format: { type: 'json_object' } }],
    ['end user', { user: 'u1' }, { user: 'u1' }],
    [
      'tools',
      { tools },
      {
        tools: [
          { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
          { type: 'function', function: { name: 'clock' } },
        ],
      },
    ],
    [
      'auto',
      { tools, toolChoice: { type: 'auto' }, parallelToolCalls: false },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
    ['required', { tools, toolChoice: { type: 'required' } }, { tool_choice: 'required' }],
    ['none', { tools, toolChoice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      'one tool',
      { tools, toolChoice: { type: 'tool', name: 'clock' } },
      { tool_choice: { type: 'function', function: { name: 'clock' } } },
    ],
    [
      'some tools',
      { tools, toolChoice: { type: 'required', names: ['clock'] } },
      { tool_choice: 'required', tools: [{ type: 'function', function: { name: 'clock' } }] },
    ],
    [
      'a custom tool',
      {
        tools: [{ type: 'custom', name: 'sql', format: { type: 'text' } }],
        toolChoice: { type: 'tool', name: 'sql' },
      },
      {
        tools: [{ type: 'custom', custom: { name: 'sql', format: { type: 'text' } } }],
        tool_choice: { type: 'custom', custom: { name: 'sql' } },
      },
    ],
    [
      'a web search',
      {
        tools: [{ type: 'web-search', own: { format: 'messages', value: { type: 'web_search_20250305' } } }],
      },
      { web_search_options: {} },
    ],
    [
      'extensions of the chat format',
      { extensions: { chat: { store: true }, messages: { context_management: {}, mcp_servers: [] } } },
      { store: true },
    ],
  ])('a request encodes %s', (_what, fields, expected) => {
    const { model: _, messages: __, stream: ___, stream_options: ____, ...body } = encode(fields);
    expect(body).toMatchObject(expected);
    expect(body).not.toHaveProperty('context_management');
    expect(body).not.toHaveProperty('mcp_servers');
  });

  test.each<[string, Partial<GenerateRequest>]>([
    ['a tool choice without tools', { toolChoice: { type: 'auto' }, parallelToolCalls: true }],
    ['empty stop sequences', { stop: [''] }],
    ['no stop sequences', { stop: [] }],
    ['an unset budget', { reasoning: { budget: -1 } }],
    ['adaptive reasoning', { reasoning: { adaptive: true } }],
    ['plain text as output', { output: { type: 'text' } }],
    ['hints', { topK: 5, metadata: { a: 'b' }, verbosity: 'low', serviceTier: 'standard_only' }],
  ])('a request leaves out %s', (_what, fields) => {
    expect(Object.keys(encode(fields))).toEqual(['model', 'messages', 'stream', 'stream_options']);
  });

  test('a request to OpenAI itself uses the newest field names', () => {
    const fields: Partial<GenerateRequest> = {
      maxTokens: 9,
      user: 'u',
      verbosity: 'low',
      serviceTier: 'flex',
      tools,
      toolChoice: { type: 'auto', names: ['clock'] },
    };
    expect(encode(fields, { original: true })).toMatchObject({
      max_completion_tokens: 9,
      safety_identifier: 'u',
      verbosity: 'low',
      service_tier: 'flex',
      tools: [{}, {}],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'clock' } }] },
      },
    });
  });

  test.each(['jane@example.com', 'x'.repeat(65)])('the end user %s is sent as a hash', id => {
    expect(encode({ user: id }).user).toMatch(/^[0-9a-f]{64}$/);
  });

  test('pitfall 27: a request leaves out fields that the model does not accept', () => {
    const body = encode(
      { temperature: 1, maxTokens: 5, reasoning: { effort: 'low' } },
      { drop: ['temperature', 'max_tokens'] },
    );
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('max_tokens');
    expect(body.reasoning_effort).toBe('low');
    expect(encode({}, { drop: ['stream_options'] })).not.toHaveProperty('stream_options');
  });

  test("a request asks for no more tokens than the model's output limit", () => {
    expect(encode({ maxTokens: 32_000 }, { limits: { maxOutput: 16_384 } }).max_tokens).toBe(16_384);
  });

  test.each<[string, Partial<GenerateRequest>, string | { param: string }]>([
    ['log probabilities', { logprobs: { top: 2 } }, 'logprobs'],
    ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [
      'a tool that another vendor runs',
      { tools: [{ type: 'opaque', format: 'messages', value: { type: 'bash_20250124' } }] },
      'tools',
    ],
    [
      'a document by URL',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'media', kind: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
            ],
          },
        ],
      },
      'messages',
    ],
    [
      'audio by URL',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'media', kind: 'audio', source: { type: 'url', url: 'https://x.example/a.wav' } },
            ],
          },
        ],
      },
      'messages',
    ],
    [
      "another vendor's file",
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'media', kind: 'document', source: { type: 'file', id: 'f', format: 'messages' } },
            ],
          },
        ],
      },
      'messages',
    ],
    [
      'a prefilled assistant turn',
      { messages: [user, { role: 'assistant', content: [{ type: 'text', text: 'So' }] }] },
      'messages',
    ],
    ['a required tool choice without tools', { toolChoice: { type: 'required' } }, 'toolChoice'],
    ['the choice of a missing tool', { tools, toolChoice: { type: 'tool', name: 'x' } }, 'toolChoice'],
    ['MCP servers', { extensions: { messages: { mcp_servers: [{ name: 'x' }] } } }, { param: 'mcp_servers' }],
    ['a container', { extensions: { messages: { container: 'c' } } }, { param: 'container' }],
    [
      'an unknown kind of thinking',
      { extensions: { messages: { thinking: { type: 'between_tools' } } } },
      { param: 'thinking' },
    ],
  ])('a request with %s is refused', (_what, fields, field) => {
    const named = typeof field === 'string' ? { path: field } : field;
    expect(refusal(fields)).toEqual({ kind: 'invalid-request', ...named });
  });

  test("a final assistant turn is sent if the client's format does not treat it as a prefill", () => {
    const messages: Message[] = [user, { role: 'assistant', content: [{ type: 'text', text: 'So' }] }];
    expect(encode({ messages }, { envelope: envelope('responses') }).messages).toHaveLength(2);
  });
});

describe('messages', () => {
  const sent = (messages: Message[], more: InputFields = {}) => encode({ messages }, more).messages;

  test('system messages keep their place', () => {
    const system = (text: string): Message => ({
      role: 'system',
      content: [{ type: 'text', text, cache: {} }],
    });
    expect(sent([system('a'), user, system('b'), user])).toEqual([
      { role: 'system', content: 'a' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'b' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  test('a user message holds every kind of part', () => {
    const doc = { type: 'media', kind: 'document' } as const;
    const content: Message = {
      role: 'user',
      content: [
        { type: 'text', text: 'Look', cache: { ttl: '1h' } },
        png,
        { type: 'media', kind: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
        { type: 'media', kind: 'audio', mediaType: 'audio/mpeg', source: { type: 'base64', data: 'AA==' } },
        { ...doc, mediaType: 'application/pdf', source: { type: 'base64', data: 'JVBE' } },
        { ...doc, source: { type: 'text', text: 'plain' } },
        { ...doc, source: { type: 'file', id: 'file-1', format: 'chat' } },
        { type: 'opaque', format: 'messages', value: { type: 'search_result', title: 't' } },
      ],
    };
    expect(sent([content])[0].content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'document.pdf' } },
      { type: 'text', text: 'plain' },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'text', text: '{"type":"search_result","title":"t"}' },
    ]);
  });

  test('pitfall 28: an assistant message keeps text beside tool calls', () => {
    expect(
      sent([
        { role: 'assistant', content: [{ type: 'text', text: 'Checking.' }, call('c')] },
        result('c'),
      ])[0],
    ).toEqual({
      role: 'assistant',
      content: 'Checking.',
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    });
  });

  const result = (
    callId: string,
    ...content: Extract<Message, { role: 'tool' }>['content'][0]['content']
  ): Message => ({
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        callId,
        content: content.length > 0 ? content : [{ type: 'text', text: '4 C' }],
      },
    ],
  });

  test('pitfall 14: images of tool results go into the next user message, in front of its text', () => {
    const messages: Message[] = [
      { role: 'assistant', content: [call('a'), call('b', '')] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'see' }, png] },
          { type: 'tool-result', callId: 'b', content: [{ type: 'text', text: 'offline' }], error: true },
        ],
      },
      user,
    ];
    const [assistant, ...rest] = sent(messages);
    expect(assistant.tool_calls[1].function.arguments).toBe('{}');
    expect(assistant.content).toBeNull();
    expect(rest).toEqual([
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'see' },
          { type: 'text', text: '(image: see the user message that follows)' },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'Error: offline' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Shown by tool call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
          { type: 'text', text: 'Hi' },
        ],
      },
    ]);
  });

  test('images of tool results get a user message if the assistant is next', () => {
    const turns: Message[] = [{ role: 'assistant', content: [call('a')] }, result('a', png)];
    expect(sent(turns).map((m: { role: string }) => m.role)).toEqual(['assistant', 'tool', 'user']);
    const more: Message[] = [...turns, { role: 'assistant', content: [call('b')] }, result('b')];
    expect(sent(more).map((m: { role: string }) => m.role)).toEqual([
      'assistant',
      'tool',
      'user',
      'assistant',
      'tool',
    ]);
  });

  test('pitfall 15: unknown blocks of a tool result are kept as JSON', () => {
    const value = { type: 'tool_reference', tool_name: 'x' };
    const document = {
      type: 'media',
      kind: 'document',
      source: { type: 'url', url: 'https://x.example/a' },
    } as const;
    const [, tool] = sent([
      { role: 'assistant', content: [call('a')] },
      result('a', { type: 'opaque', format: 'messages', value }, document),
    ]);
    expect(tool.content.map((part: { text: string }) => JSON.parse(part.text))).toEqual([value, document]);
  });

  test('pitfall 17, 18: reasoning is sent as text, without the signature of another vendor', () => {
    const content: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.', signature: { format: 'messages', value: 'EqQB' } },
        { type: 'reasoning', text: '', redacted: true, signature: { format: 'messages', value: 'EmwK' } },
        { ...call('c'), signature: { format: 'generate-content', value: 'sig' } },
      ],
    };
    const [assistant] = sent([content, result('c')]);
    expect(assistant.reasoning_content).toBe('Hm.');
    expect(JSON.stringify(assistant)).not.toMatch(/EqQB|EmwK|sig/);
    expect(sent([content, result('c')], { original: true })[0]).not.toHaveProperty('reasoning_content');
  });

  test('pitfall 5: ids that are too long are replaced by the same id in call and result', () => {
    const long = `call_${'x'.repeat(80)}`;
    const [assistant, tool] = sent([{ role: 'assistant', content: [call(long)] }, result(long)]);
    expect(tool.tool_call_id).toBe(assistant.tool_calls[0].id);
    expect(tool.tool_call_id).toMatch(/^[\w-]{1,40}$/);
  });

  test('a call without a result, and a result without a call, are refused with the id in the message', () => {
    const calls: Message = { role: 'assistant', content: [call('call_7'), call('call_8')] };
    expect(() => sent([user, calls, result('call_8'), user])).toThrow(/'call_7'/);
    expect(() => sent([user, result('call_9')])).toThrow(/'call_9'/);
  });

  test("a call's signature is sent only to Google's models", () => {
    const signed = { ...call('c'), signature: { format: 'generate-content' as const, value: 'CoYB' } };
    const turns: Message[] = [{ role: 'assistant', content: [signed] }, result('c')];
    const [{ tool_calls: calls }] = encode({ messages: turns }, { model: 'google/gemini-3-pro' }).messages;
    expect(calls).toMatchObject([{ id: 'c', extra_content: { google: { thought_signature: 'CoYB' } } }]);
    const claude = { ...call('c'), signature: { format: 'messages' as const, value: 'EqQB' } };
    const other: Message[] = [{ role: 'assistant', content: [claude] }, result('c')];
    const body = JSON.stringify(encode({ messages: other }, { model: 'gemini-3-pro' }));
    expect(body + JSON.stringify(encode({ messages: turns }))).not.toMatch(/EqQB|CoYB/);
  });

  test('a refusal stays a refusal', () => {
    const [, turn] = sent([user, { role: 'assistant', content: [{ type: 'refusal', text: 'No.' }] }, user]);
    expect(turn).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
  });

  test("calls and results of another vendor's tools are sent as text, without encrypted fields", () => {
    const opaque = (value: Record<string, unknown>) => ({
      type: 'opaque' as const,
      format: 'messages' as const,
      value,
    });
    const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'cats' } };
    const page = { type: 'web_search_result', url: 'http://a.example', title: 'A' };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [page] };
    const [, turn] = sent([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          opaque({ ...use, cache_control: { type: 'ephemeral' } }),
          opaque({ ...found, content: [{ ...page, encrypted_content: 'E'.repeat(99) }] }),
          { type: 'text', text: 'Found' },
          { type: 'text', text: ' it.' },
          call('c1'),
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', callId: 'c1', content: [] }] },
    ]);
    expect(turn).toMatchObject({
      content: `I look.\n${JSON.stringify(use)}\n${JSON.stringify(found)}\nFound it.`,
      tool_calls: [{ id: 'c1' }],
    });
  });

  test('a document keeps its title', () => {
    const document = { type: 'media', kind: 'document', name: 'Tides' } as const;
    const text = Buffer.from('High at 6.').toString('base64');
    const parts = [
      { ...document, source: { type: 'text', text: 'High at 6.' }, mediaType: 'text/plain' },
      { ...document, source: { type: 'base64', data: text }, mediaType: 'text/plain' },
    ] as const;
    const [first] = sent([{ role: 'user', content: [...parts] }]);
    const titled = { type: 'text', text: 'Tides\n\nHigh at 6.' };
    expect(first).toEqual({ role: 'user', content: [titled, titled] });
    const [, , result] = sent([
      user,
      { role: 'assistant', content: [call('c1')] },
      { role: 'tool', content: [{ type: 'tool-result', callId: 'c1', content: [parts[0]] }] },
    ]);
    expect(result).toMatchObject({ content: 'Tides\n\nHigh at 6.' });
  });

  test.each([
    [
      'JVBERi0xLjcK',
      'Tides',
      { file_data: 'data:application/pdf;base64,JVBERi0xLjcK', filename: 'Tides.pdf' },
    ],
    ['JVBERi0xLjcK', 'a.txt', { file_data: 'data:application/pdf;base64,JVBERi0xLjcK', filename: 'a.txt' }],
    ['iVBORw0KGgoA', 'a', { file_data: 'data:image/png;base64,iVBORw0KGgoA', filename: 'a' }],
  ])('the media type of a file is recognized: %s, %s', (data, name, file) => {
    const part = { type: 'media', kind: 'document', source: { type: 'base64', data }, name } as const;
    expect(sent([{ role: 'user', content: [part] }])[0]).toEqual({
      role: 'user',
      content: [{ type: 'file', file }],
    });
  });
});

describe('web search', () => {
  const search = (value: Record<string, unknown> = {}) => ({
    type: 'web-search' as const,
    own: {
      format: 'messages' as const,
      value: { type: 'web_search_20250305', name: 'web_search', ...value },
    },
  });
  const own = { type: 'function' as const, name: 'f' };

  test.each([{ type: 'tool', name: 'web_search' }, { type: 'required' }] as const)(
    'a web search cannot be chosen by %j',
    toolChoice => {
      const refused = { kind: 'invalid-request', path: 'toolChoice' };
      expect(refusal({ tools: [search()], toolChoice })).toEqual(refused);
    },
  );

  test.each([{ type: 'tool', name: 'f' }, { type: 'required' }, { type: 'auto' }, { type: 'none' }] as const)(
    'a web search keeps the choice %j among other tools',
    toolChoice => {
      const body = encode({ tools: [search(), own], toolChoice });
      expect(body).toMatchObject({ web_search_options: {}, tools: [{ type: 'function' }] });
      expect(body.tool_choice).toBeDefined();
    },
  );

  test.each(['allowed_domains', 'blocked_domains'])('a web search with %s is refused', name => {
    expect(() => encode({ tools: [search({ [name]: ['a.example'] })] })).toThrow(name);
    expect(refusal({ tools: [search({ [name]: ['a.example'] })] })).toMatchObject({ path: 'tools' });
    expect(refusal({ tools: [search({ [name]: [], max_uses: 3 })] })).toBeUndefined();
    expect(refusal({ tools: [search({ [name]: null })] })).toBeUndefined();
  });
});
