import {
  type AssistantPart,
  GatewayError,
  type GenerateRequest,
  type Message,
} from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import type { EncodeInput } from '../dialect.ts';
import { encode } from './encode.ts';
import { toolsByName } from './encode-tools.ts';

const budgetModel = 'claude-sonnet-4-5-20250929';
const adaptiveModel = 'claude-opus-4-6';
const hi: Message = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };

function input(fields: Partial<EncodeInput>, envelope: Partial<EncodeInput['envelope']> = {}): EncodeInput {
  return {
    envelope: {
      requestId: 'r',
      operation: 'generate',
      format: 'chat',
      model: 'm',
      stream: false,
      textLength: 0,
      targets: [],
      token: { id: 't', project: 'p' },
      headers: {},
      ...envelope,
    },
    model: budgetModel,
    drop: [],
    limits: {},
    ...fields,
  };
}

function body(
  request: Partial<GenerateRequest>,
  fields: Partial<EncodeInput> = {},
  format = 'chat' as const,
) {
  const given = input({ request: { messages: [hi], ...request }, ...fields }, { format });
  return JSON.parse(encode(given).body.toString());
}

const messages = (...turns: Message[]) => body({ messages: turns }).messages;
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const says = (...content: AssistantPart[]): Message => ({ role: 'assistant', content });
const call = (id: string, args = '{}'): AssistantPart => ({
  type: 'tool-call',
  id,
  name: 'f',
  arguments: args,
});
const result = (id: string, text = 'ok'): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text }] }],
});

function refusal(run: () => unknown): { kind: string; param: string | undefined; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError)
      return { kind: error.kind, param: error.details.param, message: error.message };
    throw error;
  }
  throw new Error('not refused');
}

describe("the client's own text", () => {
  const text = Buffer.from('{"model":"x", "seed": 12345678901234567890,"messages":[],"speed":"fast"}');

  test('is sent on but for the model and what is dropped', () => {
    const { path, body, headers } = encode(input({ text, drop: ['speed'] }, { format: 'messages' }));
    expect(path).toBe('/v1/messages');
    expect(body.toString()).toBe(`{"model":"${budgetModel}","seed": 12345678901234567890,"messages":[]}`);
    expect(headers).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  test('goes with its version and its betas', () => {
    const headers = { 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a,b', other: 'x' };
    expect(encode(input({ text }, { headers })).headers).toEqual({
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'a,b',
    });
  });

  test('may ask to count only', () => {
    expect(encode(input({ text }, { operation: 'count-tokens' })).path).toBe('/v1/messages/count_tokens');
  });
});

describe('a conversation', () => {
  test('has its leading instructions apart, in order and with their marks', () => {
    const { system, messages } = body({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a', cache: { ttl: '1h' } }] },
        {
          role: 'system',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'b' },
          ],
        },
        hi,
      ],
    });
    expect(system).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'b' },
    ]);
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  test('keeps later instructions at their place, and merges neighbours', () => {
    const later: Message = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    expect(
      messages(hi, says({ type: 'text', text: 'x' }), later, user('y'), says({ type: 'text', text: 'z' })),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Be brief.' },
          { type: 'text', text: 'y' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'z' }] },
    ]);
  });

  test('is given a first turn of the user for a chat client, and for no other', () => {
    const system: Message = { role: 'system', content: [{ type: 'text', text: 'a' }] };
    expect(messages(system)).toEqual([{ role: 'user', content: [{ type: 'text', text: '.' }] }]);
    expect(messages(system, says({ type: 'text', text: 'x' }))).toHaveLength(2);
    const other = input({ request: { messages: [system] } }, { format: 'messages' });
    expect(refusal(() => encode(other))).toMatchObject({ kind: 'invalid-request', param: 'messages' });
  });

  test('loses its empty texts (pitfall 16)', () => {
    const empty: AssistantPart = { type: 'text', text: '' };
    expect(messages(hi, says(empty, call('a')), result('a'), says(empty), user('y'))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
          { type: 'text', text: 'y' },
        ],
      },
    ]);
    expect(refusal(() => messages(user('')))).toMatchObject({ kind: 'invalid-request', param: 'messages' });
  });

  test('keeps text beside calls (pitfall 28), and has refusals as text', () => {
    const turns = messages(
      hi,
      says({ type: 'text', text: 'x' }, call('a')),
      result('a'),
      says({ type: 'refusal', text: 'no' }),
    );
    expect(turns[1].content.map((block: { type: string }) => block.type)).toEqual(['text', 'tool_use']);
    expect(turns[3].content).toEqual([{ type: 'text', text: 'no' }]);
  });
});

describe('tool calls and results', () => {
  test.each([
    ['', {}],
    [' ', {}],
    ['null', {}],
    ['{"x":1}', { x: 1 }],
    ['[1,2]', { value: [1, 2] }],
    ['"s"', { value: 's' }],
    ['5', { value: 5 }],
  ])('arguments %j are input %j', (args, expected) => {
    expect(messages(hi, says(call('a', args)), result('a'))[1].content[0].input).toEqual(expected);
  });

  test('broken arguments are refused by the name of the call', () => {
    const { kind, message } = refusal(() => messages(hi, says(call('call_7', '{"x":')), result('call_7')));
    expect(kind).toBe('invalid-request');
    expect(message).toContain('call_7');
  });

  test('a custom call is wrapped', () => {
    const custom: AssistantPart = {
      type: 'tool-call',
      id: 'a',
      name: 'py',
      arguments: 'x = {',
      custom: true,
    };
    expect(messages(hi, says(custom), result('a'))[1].content[0].input).toEqual({ input: 'x = {' });
  });

  test.each(['call+a/b=', 'id with spaces', 'x'.repeat(80), 'call_x__thought__abc+/=='])(
    'the id %s is replaced the same on both sides (pitfalls 5, 6)',
    id => {
      const [, asked, answered] = messages(hi, says(call(id)), result(id));
      const { id: sent } = asked.content[0];
      expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(answered.content[0].tool_use_id).toBe(sent);
      expect(messages(hi, says(call(id)), result(id))[1].content[0].id).toBe(sent);
    },
  );

  test('all results are one turn of the user, before its text (pitfall 11)', () => {
    const failed: Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          callId: 'b',
          content: [{ type: 'text', text: 'offline' }],
          error: true,
          cache: {},
        },
      ],
    };
    const later: Message = { role: 'system', content: [{ type: 'text', text: 'note' }] };
    expect(messages(hi, says(call('a'), call('b')), later, result('a'), failed, user('Go on'))[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: 'ok' },
        {
          type: 'tool_result',
          tool_use_id: 'b',
          content: 'offline',
          is_error: true,
          cache_control: { type: 'ephemeral' },
        },
        { type: 'text', text: 'note' },
        { type: 'text', text: 'Go on' },
      ],
    });
  });

  test('images and blocks of others stay within a result (pitfalls 14, 15)', () => {
    const rich: Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          callId: 'a',
          content: [
            { type: 'text', text: '' },
            {
              type: 'media',
              kind: 'image',
              source: { type: 'base64', data: 'AA==' },
              mediaType: 'image/jpg',
            },
            { type: 'opaque', format: 'messages', value: { type: 'search_result', title: 'T' } },
            { type: 'opaque', format: 'responses', value: { type: 'x', y: 1 } },
          ],
        },
      ],
    };
    expect(messages(hi, says(call('a')), rich)[2].content[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } },
      { type: 'search_result', title: 'T' },
      { type: 'text', text: '{"type":"x","y":1}' },
    ]);
  });

  test.each([
    ['a call without a result', [hi, says(call('a'), call('b')), result('a'), user('x')], "'b'"],
    ['a call at the end', [hi, says(call('a'))], "'a'"],
    ['a result without a call', [hi, result('z')], "'z'"],
    ['a second result', [hi, says(call('a')), result('a'), result('a')], "'a'"],
  ] as [string, Message[], string][])('%s is refused by its id', (_what, turns, id) => {
    const { kind, message } = refusal(() => messages(...turns));
    expect(kind).toBe('invalid-request');
    expect(message).toContain(id);
  });
});

describe('media', () => {
  const block = (part: object) =>
    messages({ role: 'user', content: [{ type: 'media', ...part } as never] })[0].content[0];
  const file = (format: string) => ({ type: 'file', id: 'file_1', format });

  test.each<[object, object]>([
    [
      { kind: 'image', source: { type: 'base64', data: 'AA==' }, mediaType: 'image/png', cache: {} },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
        cache_control: { type: 'ephemeral' },
      },
    ],
    [
      { kind: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      { kind: 'image', source: file('messages') },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'JVBE' }, name: 'a.pdf' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
        title: 'a.pdf',
      },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'xb4=' }, mediaType: 'text/plain' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ž' } },
    ],
    [
      { kind: 'document', source: { type: 'text', text: 'x' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
    ],
    [
      { kind: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
      { type: 'document', source: { type: 'url', url: 'https://x.example/a.pdf' } },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'JVBERi0=' }, name: 'a.txt' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
        title: 'a.txt',
      },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'eA==' }, name: 'a.md' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: 'a.md' },
    ],
    [
      { kind: 'document', source: { type: 'base64', data: 'iVBORw0KGgoA' }, name: 'a' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoA' } },
    ],
  ])('%j', (part, expected) => {
    expect(block(part)).toEqual(expected);
  });

  test.each<[string, object]>([
    ['audio', { kind: 'audio', source: { type: 'base64', data: 'AA==' }, mediaType: 'audio/wav' }],
    ["another vendor's file", { kind: 'document', source: file('chat') }],
    ['a file of no type', { kind: 'document', source: { type: 'base64', data: 'AA==' }, name: 'a.bin' }],
    ['an image of no type', { kind: 'image', source: { type: 'base64', data: 'AA==' } }],
  ])('%s is refused', (_what, part) => {
    expect(refusal(() => block(part))).toMatchObject({ kind: 'invalid-request', param: 'messages' });
  });
});

describe('thoughts of earlier turns', () => {
  const thought = (text: string, value?: string, format = 'messages'): AssistantPart =>
    ({ type: 'reasoning', text, ...(value !== undefined && { signature: { format, value } }) }) as never;
  const content = (...parts: AssistantPart[]) => messages(hi, says(...parts))[1].content;
  const text: AssistantPart = { type: 'text', text: 'x' };

  test('go back unchanged, in order and in place (pitfalls 17, 18, 19)', () => {
    const redacted: AssistantPart = {
      type: 'reasoning',
      text: '',
      redacted: true,
      signature: { format: 'messages', value: 'R' },
    };
    expect(content(thought('a', 'A'), thought('', 'B'), text, redacted, thought('c', 'C'))).toEqual([
      { type: 'thinking', thinking: 'a', signature: 'A' },
      { type: 'thinking', thinking: '', signature: 'B' },
      { type: 'text', text: 'x' },
      { type: 'redacted_thinking', data: 'R' },
      { type: 'thinking', thinking: 'c', signature: 'C' },
    ]);
  });

  test.each<[string, AssistantPart]>([
    ['of another vendor', thought('a', 'A', 'generate-content')],
    ['unsigned', thought('a')],
    ['signed with nothing', thought('a', '')],
  ])('%s stay behind (pitfall 5)', (_what, part) => {
    expect(content(part, text)).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('blocks of this format go back as they are', () => {
    const value = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(content({ type: 'opaque', format: 'messages', value })).toEqual([value]);
    expect(content({ type: 'opaque', format: 'chat', value: { a: 1 } })).toEqual([
      { type: 'text', text: '{"a":1}' },
    ]);
  });
});

const f = { type: 'function', name: 'f', parameters: { type: 'object', properties: { x: {} } } } as const;

describe('tools', () => {
  test('are said in this format', () => {
    const { tools } = body({
      tools: [
        { ...f, description: 'd', strict: true, cache: { ttl: '5m' } },
        { type: 'function', name: 'g' },
        { type: 'function', name: 'h', parameters: {} },
        { type: 'custom', name: 'py', description: 'runs', format: { type: 'text' } },
        {
          type: 'web-search',
          own: { format: 'messages', value: { type: 'web_search_20250305', name: 'web_search' } },
        },
      ],
    });
    const none = { type: 'object', properties: {} };
    expect(tools).toEqual([
      {
        name: 'f',
        description: 'd',
        input_schema: f.parameters,
        strict: true,
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
      { name: 'g', input_schema: none },
      { name: 'h', input_schema: none },
      {
        name: 'py',
        description: 'runs',
        input_schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
      { type: 'web_search_20250305', name: 'web_search' },
    ]);
  });

  test('that another vendor runs are refused', () => {
    const run = { format: 'responses', value: { type: 'code_interpreter' } } as const;
    const { param, message } = refusal(() => body({ tools: [{ type: 'opaque', ...run }] }));
    expect(param).toBe('tools');
    expect(message).toContain("'code_interpreter'");
    // Its vendor names it by its field.
    const other = { format: 'generate-content', value: { codeExecution: {} } } as const;
    expect(refusal(() => body({ tools: [{ type: 'opaque', ...other }] })).message).toContain(
      "'codeExecution'",
    );
  });

  test('with names that this format does not allow are renamed, and known by both', () => {
    const request: GenerateRequest = { messages: [hi], tools: [{ type: 'function', name: 'ns.f:1' }] };
    const { name } = body(request).tools[0];
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(toolsByName(request, budgetModel).get(name)).toEqual({ type: 'function', name: 'ns.f:1' });
    expect(body({ ...request, toolChoice: { type: 'tool', name: 'ns.f:1' } }).tool_choice.name).toBe(name);
  });

  test.each<[Partial<GenerateRequest>, object | undefined]>([
    [{}, undefined],
    [{ toolChoice: { type: 'auto' } }, { type: 'auto' }],
    [{ toolChoice: { type: 'required' } }, { type: 'any' }],
    [{ toolChoice: { type: 'tool', name: 'f' } }, { type: 'tool', name: 'f' }],
    [{ toolChoice: { type: 'none' } }, { type: 'none' }],
    [{ parallelToolCalls: true }, undefined],
    [{ parallelToolCalls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { parallelToolCalls: false, toolChoice: { type: 'required' } },
      { type: 'any', disable_parallel_tool_use: true },
    ],
    [
      { parallelToolCalls: false, toolChoice: { type: 'tool', name: 'f' } },
      { type: 'tool', name: 'f', disable_parallel_tool_use: true },
    ],
    [{ parallelToolCalls: false, toolChoice: { type: 'none' } }, { type: 'none' }],
  ])('are chosen: %j', (request, expected) => {
    expect(body({ tools: [f], ...request }).tool_choice).toEqual(expected);
  });

  test('that may not be chosen are left out', () => {
    const tools = [f, { ...f, name: 'g' }, { ...f, name: 'h' }];
    const sent = body({ tools, toolChoice: { type: 'required', names: ['h', 'f'] } });
    expect(sent.tools.map((tool: { name: string }) => tool.name)).toEqual(['f', 'h']);
    expect(sent.tool_choice).toEqual({ type: 'any' });
  });

  test('that are none leave nothing to choose', () => {
    const sent = body({ tools: [], toolChoice: { type: 'auto' }, parallelToolCalls: false });
    expect(sent).not.toHaveProperty('tools');
    expect(sent).not.toHaveProperty('tool_choice');
  });
});

describe('settings', () => {
  test('are few where few were given', () => {
    expect(body({})).toEqual({
      model: budgetModel,
      max_tokens: 4096,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      stream: true,
    });
  });

  test.each<[Partial<GenerateRequest>, object]>([
    [{ maxTokens: 7 }, { max_tokens: 7 }],
    [{ temperature: 1.7 }, { temperature: 1 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ topP: 0.5 }, { top_p: 0.5 }],
    [{ topK: 3 }, { top_k: 3 }],
    [{ stop: ['END', ' \n', ''] }, { stop_sequences: ['END'] }],
    [{ user: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    [{ serviceTier: 'priority' }, { service_tier: 'auto' }],
    [{ serviceTier: 'auto' }, { service_tier: 'auto' }],
    [{ serviceTier: 'flex' }, { service_tier: 'standard_only' }],
    [{ serviceTier: 'default' }, { service_tier: 'standard_only' }],
    [{ extensions: { messages: { container: 'c' }, chat: { store: true } } }, { container: 'c' }],
  ])('%j is %j', (request, expected) => {
    expect(body(request)).toMatchObject(expected);
  });

  test.each<[Partial<GenerateRequest>, string]>([
    [{ temperature: 0.5, topP: 0.5 }, 'top_p'],
    [{ stop: [' '] }, 'stop_sequences'],
    [{ serviceTier: 'scale' }, 'service_tier'],
    [{ seed: 1 }, 'seed'],
    [{ presencePenalty: 1 }, 'presence_penalty'],
    [{ frequencyPenalty: 1 }, 'frequency_penalty'],
    [{ verbosity: 'low' }, 'verbosity'],
    [{ metadata: { a: 'b' } }, 'metadata'],
    [{ extensions: { chat: { prediction: {} } } }, 'prediction'],
    [{ extensions: { chat: { store: true } } }, 'store'],
  ])('%j leaves out %s', (request, field) => {
    expect(body(request)).not.toHaveProperty(field);
  });

  test.each<[Partial<GenerateRequest>, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: {} }, 'logprobs'],
    [{ logitBias: { 1: 2 } }, 'logit_bias'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ maxTokens: 0 }, 'max_completion_tokens'],
    [{ maxTokens: -5 }, 'max_completion_tokens'],
    [{ output: { type: 'schema', schema: { type: 'array' } } }, 'response_format'],
    [{ output: { type: 'schema', schema: { type: ['string', 'null'] } } }, 'response_format'],
    [{ toolChoice: { type: 'required' } }, 'tool_choice'],
    [{ toolChoice: { type: 'tool', name: 'f' } }, 'tool_choice'],
    [{ tools: [{ type: 'function', name: 'g' }], toolChoice: { type: 'tool', name: 'f' } }, 'tool_choice'],
  ])('%j is refused as %s', (request, param) => {
    expect(refusal(() => body(request))).toMatchObject({ kind: 'invalid-request', param });
  });

  test('that say nothing are not refused', () => {
    expect(body({ n: 1, logitBias: {}, modalities: ['text'] })).toBeTruthy();
  });

  test.each(['ann@mail.example', 'x'.repeat(600)])('the user %s stays unknown', user => {
    expect(body({ user }).metadata.user_id).toMatch(/^[0-9a-f]{32}$/);
  });

  test('take the output limit of the model', () => {
    expect(body({}, { limits: { maxOutput: 64_000 } }).max_tokens).toBe(64_000);
  });

  test('that the model does not take are dropped (pitfall 27)', () => {
    const request = { temperature: 0.5, topP: 0.9, topK: 5, maxTokens: 9 };
    expect(body(request, { model: 'claude-opus-4-8' })).toEqual(
      body({ maxTokens: 9 }, { model: 'claude-opus-4-8' }),
    );
    expect(body(request, { drop: ['temperature'] })).not.toHaveProperty('temperature');
    expect(body(request, { model: adaptiveModel }).temperature).toBe(0.5);
  });

  test('that steer the choice of words give way to thoughts', () => {
    const request: Partial<GenerateRequest> = {
      temperature: 0.5,
      topK: 5,
      maxTokens: 9_000,
      reasoning: { effort: 'low' },
    };
    const sent = body(request);
    expect(sent.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
    expect(sent).not.toHaveProperty('temperature');
    expect(sent).not.toHaveProperty('top_k');
  });

  test('bear four marks at most, the last ones', () => {
    const cached = (text: string) => ({ type: 'text', text, cache: {} }) as const;
    const request: Partial<GenerateRequest> = {
      tools: [{ ...f, cache: {} }],
      messages: [
        { role: 'system', content: [cached('a'), cached('b')] },
        { role: 'user', content: [cached('c'), cached('d'), cached('e')] },
      ],
    };
    const { tools, system, messages } = body(request);
    const marked = [...tools, ...system, ...messages[0].content].map(block => Boolean(block.cache_control));
    expect(marked).toEqual([false, false, true, true, true, true]);
  });

  test('leave the request as it was', () => {
    const value = { type: 'search_result', cache_control: { type: 'ephemeral' } };
    const content = Array.from({ length: 6 }, () => ({ type: 'opaque', format: 'messages', value }) as const);
    body({ messages: [{ role: 'user', content }] });
    expect(value.cache_control).toEqual({ type: 'ephemeral' });
  });
});

describe('the form of the answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } } };
  const output = { type: 'schema', schema, name: 'n', strict: true } as const;
  const old = { model: 'claude-3-7-sonnet-20250219' };

  test('as JSON is asked for in words', () => {
    expect(body({ output: { type: 'json' } }).system.at(-1).text).toContain('JSON');
  });

  test('as text needs nothing', () => {
    expect(body({ output: { type: 'text' } })).toEqual(body({}));
  });

  test('by a schema is asked for where the model keeps to one', () => {
    const sent = body({ output, reasoning: { effort: 'low' } }, { model: adaptiveModel });
    expect(sent.output_config).toEqual({ effort: 'low', format: { type: 'json_schema', schema } });
    expect(sent).not.toHaveProperty('tools');
  });

  test('by a schema is a forced call elsewhere, which is no time to think', () => {
    const sent = body({ output, reasoning: { effort: 'high' }, maxTokens: 9_000 }, old);
    expect(sent.tools).toMatchObject([{ name: 'final_answer', input_schema: schema }]);
    expect(sent.tool_choice).toEqual({ type: 'tool', name: 'final_answer' });
    expect(sent).not.toHaveProperty('thinking');
    expect(sent).not.toHaveProperty('output_config');
  });

  test('by a schema is left to the model where the client has tools', () => {
    const request: GenerateRequest = { messages: [hi], output, tools: [{ ...f, name: 'final_answer' }] };
    const sent = body(request, old);
    expect(sent.tools.map((tool: { name: string }) => tool.name)).toEqual(['final_answer', 'final_answer_']);
    expect(sent).not.toHaveProperty('tool_choice');
    expect(toolsByName(request, old.model).get('final_answer_')).toEqual({ type: 'answer' });
    expect(body({ ...request, toolChoice: { type: 'none' } }, old).tool_choice.name).toBe('final_answer_');
  });
});
