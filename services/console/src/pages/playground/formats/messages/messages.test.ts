import { expect, test } from 'vitest';
import { everything, plain } from '../../testing/every-part.ts';
import { readAll } from '../../testing/read-all.ts';
import { messages } from './messages.ts';

test('a question without settings is a request with the limit that the format requires', () => {
  expect(messages.build(plain)).toEqual({
    method: 'POST',
    path: '/v1/messages',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    credential: { header: 'x-api-key', prefix: '' },
    body: { model: 'm', max_tokens: 4096, messages: [{ role: 'user', content: 'Hi' }], stream: true },
  });
});

test('every part has its place in a request, and settings that the format has not are left out', () => {
  const { messages: turns, tools, ...rest } = messages.build(everything).body;
  expect(turns).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
        {
          type: 'document',
          source: { type: 'text', media_type: 'text/plain', data: 'text' },
          title: 'a.txt',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'm', signature: 's' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: 'offline', is_error: true },
        { type: 'text', text: 'So?' },
      ],
    },
  ]);
  expect(tools).toMatchObject([{ name: 'weather', input_schema: { type: 'object' } }]);
  expect(rest).toEqual({
    model: 'a/b',
    max_tokens: 100,
    system: 'Be kind.',
    stream: true,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop_sequences: ['END'],
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
    tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
  });
});

test('thinking has a budget, or none', () => {
  const built = (settings: object) =>
    messages.build({ ...plain, settings: { ...plain.settings, ...settings } }).body;
  expect(built({ reasoningBudget: 2_000 })).toMatchObject({
    max_tokens: 6_096,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  });
  expect(built({ effort: 'none' })).toMatchObject({ thinking: { type: 'disabled' } });
  expect(built({ effort: 'minimal' })).not.toHaveProperty('thinking');
});

const start = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });

test('thinking, text and a call are read from a stream', () => {
  const usage = {
    input_tokens: 5,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
  const read = readAll(messages, [
    { type: 'message_start', message: { usage } },
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    { type: 'ping' },
    delta(0, { type: 'thinking_delta', thinking: 'Hmm' }),
    delta(0, { type: 'signature_delta', signature: 's' }),
    { type: 'content_block_stop', index: 0 },
    start(1, { type: 'redacted_thinking', data: 'd' }),
    start(2, { type: 'text', text: '' }),
    delta(2, { type: 'text_delta', text: 'Look' }),
    start(3, { type: 'tool_use', id: 't1', name: 'f', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '{"a"' }),
    delta(3, { type: 'input_json_delta', partial_json: ':1}' }),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 37 } },
    { type: 'message_stop' },
  ]);
  const seal = (value: object) => ({ format: 'messages', value });
  expect(read).toEqual({
    parts: [
      {
        type: 'reasoning',
        text: 'Hmm',
        seal: seal({ type: 'thinking', thinking: 'Hmm', signature: 's' }),
      },
      { type: 'reasoning', text: '', seal: seal({ type: 'redacted_thinking', data: 'd' }) },
      { type: 'text', text: 'Look' },
      { type: 'tool-call', id: 't1', name: 'f', arguments: '{"a":1}' },
    ],
    finish: ['tool-calls', 'tool_use'],
    usage: { input: 25, output: 37, cached: 20, cacheWritten: 0 },
    complete: true,
  });
});

test('a stream without its end mark is not complete, and an error event is an error', () => {
  const stopped = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
  expect(readAll(messages, [stopped]).complete).toBe(false);
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Busy' } };
  expect(() => readAll(messages, [error])).toThrow(
    expect.objectContaining({ message: 'Busy', facts: { code: 'overloaded_error' } }),
  );
});
