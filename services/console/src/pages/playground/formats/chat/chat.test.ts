import { expect, test } from 'vitest';
import { everything, plain } from '../../testing/every-part.ts';
import { readAll } from '../../testing/read-all.ts';
import { chat } from './chat.ts';

test('a question without settings is a request without them', () => {
  expect(chat.build(plain)).toEqual({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { 'content-type': 'application/json' },
    credential: { header: 'authorization', prefix: 'Bearer ' },
    body: {
      model: 'm',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  });
});

test('every part and setting has its place in a request', () => {
  const { messages, tools, response_format, ...rest } = chat.build(everything).body;
  expect(messages).toEqual([
    { role: 'system', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,dGV4dA==' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'c',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'Error: offline' },
    { role: 'user', content: 'So?' },
  ]);
  expect(tools).toMatchObject([
    { type: 'function', function: { name: 'weather', description: 'The weather' } },
  ]);
  expect(response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', schema: { type: 'object' } },
  });
  expect(rest).toEqual({
    model: 'a/b',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    top_p: 0.9,
    max_tokens: 100,
    stop: ['END'],
    seed: 7,
    presence_penalty: 1,
    frequency_penalty: -1,
    reasoning_effort: 'low',
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
  });
});

const delta = (delta: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason }],
});

test('reasoning with its signature, text and calls are read from a stream', () => {
  const block = { type: 'thinking', thinking: 'Hmm', signature: 's' };
  const read = readAll(chat, [
    delta({ role: 'assistant', content: null, refusal: null }),
    delta({ reasoning_content: 'H' }),
    delta({ reasoning: 'mm' }),
    delta({ thinking_blocks: [block] }),
    delta({ content: 'Let' }),
    delta({ content: ' me' }),
    delta({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }] }),
    delta({
      tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } }],
    }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: '' }, extra_content: { google: 1 } }] }),
    delta({}, 'tool_calls'),
    {
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    },
    '[DONE]',
  ]);
  expect(read).toEqual({
    parts: [
      { type: 'reasoning', text: 'Hmm', seal: { format: 'chat', value: block } },
      { type: 'text', text: 'Let me' },
      {
        type: 'tool-call',
        id: 'c1',
        name: 'f',
        arguments: '{"a":1}',
        seal: { format: 'chat', value: { google: 1 } },
      },
      { type: 'tool-call', id: 'c2', name: 'g', arguments: '{}' },
    ],
    finish: ['tool-calls', 'tool_calls'],
    usage: { input: 9, output: 5, cached: 4, reasoning: 2 },
    complete: true,
  });
});

test('a stream is complete at its end mark or a finish reason', () => {
  expect(readAll(chat, [delta({ content: 'Half' })]).complete).toBe(false);
  expect(readAll(chat, [delta({ refusal: 'No' }, 'stop')])).toMatchObject({
    parts: [{ type: 'refusal', text: 'No' }],
    complete: true,
  });
  expect(readAll(chat, ['[DONE]']).complete).toBe(true);
});

test.each([
  [{ error: { message: 'Busy', code: 'server_is_overloaded' } }, 'Busy', 'server_is_overloaded'],
  ['{"choices": [', 'An event of the stream cannot be parsed.', 'not_a_stream'],
])('the event %j is an error', (event, message, code) => {
  expect(() => readAll(chat, [event])).toThrow(expect.objectContaining({ message, facts: { code } }));
});
