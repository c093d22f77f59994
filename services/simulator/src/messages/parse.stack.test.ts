import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { sign } from './thinking.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const version = { 'anthropic-version': '2023-06-01' };
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const text = (text: string, more: object = {}) => ({ type: 'text', text, ...more });
const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (tool_use_id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id, ...more });
const tool = { name: 'f', input_schema: { type: 'object' } };
const mark = { cache_control: { type: 'ephemeral' } };
const good = { model: 'sim-fast', max_tokens: 2_000, messages: [user('Hi')] };

async function ask(request: unknown, headers: Record<string, string> = version, path = '') {
  const body = typeof request === 'string' ? request : JSON.stringify(request);
  const response = await fetch(`${simulator.url}/v1/messages${path}`, { method: 'POST', headers, body });
  return {
    status: response.status,
    id: response.headers.get('request-id'),
    body: (await response.json()) as Record<string, unknown>,
  };
}

test.each<[string, object]>([
  [
    'a request with all fields',
    { top_k: 3, top_p: 0.5, temperature: 1, metadata: { user_id: 'u' }, service_tier: 'auto' },
  ],
  [
    'a system message after a user message',
    { messages: [user('Hi'), { role: 'system', content: 'Be brief.' }] },
  ],
  [
    'a request with fields of betas',
    { context_management: { edits: [] }, output_config: { effort: 'xhigh' }, mcp_servers: [] },
  ],
  [
    'results in two messages',
    { messages: [user('Hi'), assistant([use('a'), use('b')]), user([result('a')]), user([result('b')])] },
  ],
  [
    'text after results',
    { messages: [user('Hi'), assistant([use('a')]), user([result('a', { content: '' }), text('Go')])] },
  ],
  [
    'an image in a result',
    {
      messages: [
        user('Hi'),
        assistant([use('a')]),
        user([
          result('a', {
            is_error: true,
            content: [{ type: 'image', source: { type: 'url', url: 'https://x.example' } }],
          }),
        ]),
      ],
    },
  ],
  ['an empty assistant message', { messages: [user('Hi'), assistant([]), user('Hi')] }],
  [
    'redacted thinking',
    {
      messages: [
        user('Hi'),
        assistant([{ type: 'redacted_thinking', data: sign('x') }, text('a')]),
        user('Hi'),
      ],
    },
  ],
  ['a prefill', { messages: [user('Hi'), assistant('I')] }],
  [
    'the content of an answer',
    { messages: [user('Hi'), assistant([text('a', { citations: null })]), user('b')] },
  ],
  [
    'tools of two kinds',
    {
      tools: [
        { ...tool, type: 'custom', strict: true, ...mark },
        { type: 'bash_20250124', name: 'bash' },
      ],
    },
  ],
])('%s is accepted', async (_what, request) => {
  expect(await ask({ ...good, ...request })).toMatchObject({ status: 200 });
});

describe('an invalid request gets the error', () => {
  test.each<[string, unknown]>([
    ['max_tokens: Field required', { ...good, max_tokens: undefined }],
    ['model: Field required', { ...good, model: undefined }],
    ['messages: Field required', { ...good, messages: undefined }],
    ['messages: at least one message is required', { ...good, messages: [] }],
    ['max_tokens: Input should be a valid number', { ...good, max_tokens: '5' }],
    ['max_tokens: Input should be greater than or equal to 0', { ...good, max_tokens: -1 }],
    ['temperature: range: 0..1', { ...good, temperature: 1.1 }],
    ['n: Extra inputs are not permitted', { ...good, n: 2 }],
    [
      'messages.0.content.0.text.colour: Extra inputs',
      { ...good, messages: [user([text('a', { colour: 1 })])] },
    ],
    ["messages.0.role: Input should be 'user' or", { ...good, messages: [{ role: 'tool', content: 'a' }] }],
    ['messages.0.content.0.type: Input tag', { ...good, messages: [user([{ type: 'input_text' }])] }],
    ['messages: first message must use the "user" role', { ...good, messages: [assistant('a')] }],
    ['messages: text content blocks must be non-empty', { ...good, messages: [user([text('')])] }],
    [
      'messages: text content blocks must be non-empty',
      { ...good, messages: [user('a'), assistant([text('')]), user('b')] },
    ],
    ['messages: text content blocks must contain non-whitespace', { ...good, messages: [user(' \n')] }],
    ['messages.0: user messages must have non-empty content', { ...good, messages: [user('')] }],
    ['system: text content blocks must be non-empty', { ...good, system: [text('')] }],
    [
      'messages.1.content.0.tool_use.id: String should match pattern',
      { ...good, messages: [user('a'), assistant([use('a.b')]), user([result('a.b')])] },
    ],
    [
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
      { ...good, messages: [user('a'), assistant([{ ...use('a'), input: '{}' }]), user([result('a')])] },
    ],
    [
      'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: b.',
      { ...good, messages: [user('a'), assistant([use('a'), use('b')]), user([result('a')])] },
    ],
    ['`tool_use` ids were found without', { ...good, messages: [user('a'), assistant([use('a')])] }],
    [
      '`tool_use` ids were found without',
      { ...good, messages: [user('a'), assistant([use('a')]), user([text('first'), result('a')])] },
    ],
    [
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x',
      { ...good, messages: [user([result('x')])] },
    ],
    [
      '`tool_use` ids must be unique',
      { ...good, messages: [user('a'), assistant([use('a'), use('a')]), user([result('a')])] },
    ],
    [
      'Invalid `signature` in `thinking` block',
      {
        ...good,
        messages: [user('a'), assistant([{ type: 'thinking', thinking: 'x', signature: '' }]), user('b')],
      },
    ],
    [
      "role 'system' must be last",
      { ...good, messages: [user('a'), { role: 'system', content: 'b' }, user('c')] },
    ],
    [
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
      { ...good, thinking: { type: 'enabled', budget_tokens: 5 } },
    ],
    [
      '`max_tokens` must be greater than `thinking.budget_tokens`',
      { ...good, thinking: { type: 'enabled', budget_tokens: 2_000 } },
    ],
    [
      '`temperature` may only be set to 1',
      { ...good, temperature: 0, thinking: { type: 'enabled', budget_tokens: 1_024 } },
    ],
    [
      'Thinking may not be enabled when tool_choice forces',
      {
        ...good,
        tools: [tool],
        tool_choice: { type: 'any' },
        thinking: { type: 'enabled', budget_tokens: 1_024 },
      },
    ],
    ['tool_choice.tool.name: Field required', { ...good, tools: [tool], tool_choice: { type: 'tool' } }],
    ["Tool 'g' not found", { ...good, tools: [tool], tool_choice: { type: 'tool', name: 'g' } }],
    ['tools: Tool names must be unique', { ...good, tools: [tool, tool] }],
    [
      "tools.0.input_schema.type: Input should be 'object'",
      { ...good, tools: [{ name: 'f', input_schema: { type: 'string' } }] },
    ],
    ['tools.0.input_schema: Field required', { ...good, tools: [{ name: 'f' }] }],
    [
      'A maximum of 4 blocks with cache_control may be provided. Found 5',
      { ...good, messages: [user(['a', 'b', 'c', 'd', 'e'].map(letter => text(letter, mark)))] },
    ],
    [
      "ttl='1h' block must not come after",
      {
        ...good,
        system: [text('a', mark)],
        messages: [user([text('b', { cache_control: { type: 'ephemeral', ttl: '1h' } })])],
      },
    ],
    ['We could not parse', '{'],
    ['Input should be a valid dictionary', 'null'],
  ])('%s', async (message, request) => {
    const { status, id, body } = await ask(request);
    expect(body).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining(message) },
      request_id: id,
    });
    expect(status).toBe(400);
    expect(id).toMatch(/^req_/);
  });

  test.each<[string, Record<string, string>, object]>([
    ['anthropic-version: header is required', {}, {}],
    ['anthropic-version: "today" is not', { 'anthropic-version': 'today' }, {}],
    [
      'temperature: Extra inputs are not permitted',
      { 'anthropic-version': '2026-10-21' },
      { temperature: 1 },
    ],
  ])('%s', async (message, headers, more) => {
    const { status, body } = await ask({ ...good, ...more }, headers);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ message: expect.stringContaining(message) });
  });
});

test('a token count rejects max_tokens', async () => {
  const { max_tokens: _, ...request } = good;
  expect(await ask(request, version, '/count_tokens')).toMatchObject({
    status: 200,
    body: { input_tokens: 3 },
  });
  expect(await ask(good, version, '/count_tokens')).toMatchObject({ status: 400 });
});

test('an unknown path is a 404', async () => {
  expect(await ask(good, version, '/batches')).toMatchObject({
    status: 404,
    body: { error: { type: 'not_found_error' } },
  });
});
