import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const version = { 'anthropic-version': '2023-06-01' };
/** Messages of a user and an assistant in turn. */
const turns = (...contents: unknown[]) =>
  contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
const text = (text: string, more: object = {}) => ({ type: 'text', text, ...more });
const use = (id: string, more: object = {}) => ({ type: 'tool_use', id, name: 'f', input: {}, ...more });
const result = (tool_use_id: string, more: object = {}) => ({ type: 'tool_result', tool_use_id, ...more });
const system = (content: string) => ({ role: 'system', content });
const tool = { name: 'f', input_schema: { type: 'object' } };
const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const good = { model: 'sim-fast', max_tokens: 2_000, messages: turns('Hi') };
const thinking = (budget_tokens: number) => ({ thinking: { type: 'enabled', budget_tokens } });

async function ask(request: unknown, headers: Record<string, string> = version, path = '') {
  const body = typeof request === 'string' ? request : JSON.stringify(request);
  const response = await fetch(`${simulator.url}/v1/messages${path}`, { method: 'POST', headers, body });
  const id = response.headers.get('request-id');
  return { status: response.status, id, body: (await response.json()) as Record<string, unknown> };
}

describe('an invalid request gets the error', () => {
  test.each<[string, object | string]>([
    ['max_tokens: Field required', { max_tokens: undefined }],
    ['model: Field required', { model: undefined }],
    ['messages: Field required', { messages: undefined }],
    ['messages: at least one message is required', { messages: [] }],
    ['max_tokens: Input should be a valid number', { max_tokens: '5' }],
    ['max_tokens: Input should be greater than or equal to 0', { max_tokens: -1 }],
    ['temperature: range: 0..1', { temperature: 1.1 }],
    ['n: Extra inputs are not permitted', { n: 2 }],
    ['messages.0.content.0.text.colour: Extra inputs', { messages: turns([text('a', { colour: 1 })]) }],
    ["messages.0.role: Input should be 'user' or", { messages: [{ role: 'tool', content: 'a' }] }],
    ['messages.0.content.0.type: Input tag', { messages: turns([{ type: 'input_text' }]) }],
    ['messages: first message must use the "user" role', { messages: turns('a', 'a').slice(1) }],
    ['messages: text content blocks must be non-empty', { messages: turns([text('')]) }],
    ['messages: text content blocks must be non-empty', { messages: turns('a', [text('')], 'b') }],
    ['messages: text content blocks must contain non-whitespace', { messages: turns(' \n') }],
    ['messages.0: user messages must have non-empty content', { messages: turns('') }],
    ['system: text content blocks must be non-empty', { system: [text('')] }],
    [
      'messages.1.content.0.tool_use.id: String should match pattern',
      { messages: turns('a', [use('a.b')], [result('a.b')]) },
    ],
    [
      'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
      { messages: turns('a', [use('a', { input: '{}' })], [result('a')]) },
    ],
    [
      'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: b.',
      { messages: turns('a', [use('a'), use('b')], [result('a')]) },
    ],
    ['`tool_use` ids were found without', { messages: turns('a', [use('a')]) }],
    ['`tool_use` ids were found without', { messages: turns('a', [use('a')], [text('first'), result('a')]) }],
    [
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: x',
      { messages: turns([result('x')]) },
    ],
    ['`tool_use` ids must be unique', { messages: turns('a', [use('a'), use('a')], [result('a')]) }],
    [
      'Invalid `signature` in `thinking` block',
      { messages: turns('a', [{ type: 'thinking', thinking: 'x', signature: '' }], 'b') },
    ],
    ["role 'system' must be last", { messages: [...turns('a'), system('b'), ...turns('c')] }],
    ['thinking.enabled.budget_tokens: Input should be greater than or equal to 1024', thinking(5)],
    ['`max_tokens` must be greater than `thinking.budget_tokens`', thinking(2_000)],
    ['`temperature` may only be set to 1', { temperature: 0, ...thinking(1_024) }],
    [
      'Thinking may not be enabled when tool_choice forces',
      { tools: [tool], tool_choice: { type: 'any' }, ...thinking(1_024) },
    ],
    ['tool_choice.tool.name: Field required', { tools: [tool], tool_choice: { type: 'tool' } }],
    ["Tool 'g' not found", { tools: [tool], tool_choice: { type: 'tool', name: 'g' } }],
    ['tools: Tool names must be unique', { tools: [tool, tool] }],
    [
      "tools.0.input_schema.type: Input should be 'object'",
      { tools: [{ name: 'f', input_schema: { type: 'string' } }] },
    ],
    ['tools.0.input_schema: Field required', { tools: [{ name: 'f' }] }],
    [
      'A maximum of 4 blocks with cache_control may be provided. Found 5',
      { messages: turns([...'abcde'].map(letter => text(letter, mark))) },
    ],
    ["ttl='1h' block must not come after", { system: [text('a', mark)], messages: turns([text('b', hour)]) }],
    ['We could not parse', '{'],
    ['Input should be a valid dictionary', 'null'],
  ])('%s', async (message, request) => {
    const { status, id, body } = await ask(typeof request === 'string' ? request : { ...good, ...request });
    const error = { type: 'invalid_request_error', message: expect.stringContaining(message) };
    expect(body).toEqual({ type: 'error', error, request_id: id });
    expect([status, id]).toEqual([400, expect.stringMatching(/^req_/)]);
  });

  test.each<[string, Record<string, string>, object]>([
    ['anthropic-version: header is required', {}, {}],
    ['anthropic-version: "today" is not', { 'anthropic-version': 'today' }, {}],
    ['temperature: Extra inputs are not', { 'anthropic-version': '2026-10-21' }, { temperature: 1 }],
  ])('%s', async (message, headers, more) => {
    const error = { message: expect.stringContaining(message) };
    expect(await ask({ ...good, ...more }, headers)).toMatchObject({ status: 400, body: { error } });
  });
});

test('a token count rejects max_tokens, and an unknown path is a 404', async () => {
  const { max_tokens: _, ...request } = good;
  const count = { status: 200, body: { input_tokens: 2 } };
  expect(await ask(request, version, '/count_tokens')).toMatchObject(count);
  expect(await ask(good, version, '/count_tokens')).toMatchObject({ status: 400 });
  const unknown = { status: 404, body: { error: { type: 'not_found_error' } } };
  expect(await ask(good, version, '/batches')).toMatchObject(unknown);
});
