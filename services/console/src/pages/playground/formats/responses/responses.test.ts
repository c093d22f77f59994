import { expect, test } from 'vitest';
import { everything, plain } from '../../testing/every-part.ts';
import { readAll } from '../../testing/read-all.ts';
import { responses } from './responses.ts';

test('a question without settings is a request without them, of which nothing is stored', () => {
  expect(responses.build(plain)).toEqual({
    method: 'POST',
    path: '/v1/responses',
    headers: { 'content-type': 'application/json' },
    credential: { header: 'authorization', prefix: 'Bearer ' },
    body: {
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      stream: true,
      store: false,
    },
  });
});

test('every part has its place in a request, and settings that the format has not are left out', () => {
  const { input, tools, ...rest } = responses.build(everything).body;
  expect(input).toEqual([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: 'data:image/png;base64,aW1n' },
        { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,dGV4dA==' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'e' },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'c1', output: 'Error: offline' },
    { role: 'user', content: [{ type: 'input_text', text: 'So?' }] },
  ]);
  expect(tools).toMatchObject([{ type: 'function', name: 'weather', parameters: { type: 'object' } }]);
  expect(rest).toEqual({
    model: 'a/b',
    instructions: 'Be kind.',
    stream: true,
    store: false,
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 100,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: false } },
  });
});

const event = (type: string, more: object = {}) => ({ type: `response.${type}`, ...more });

test('reasoning, text and a call are read from a stream', () => {
  const done = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'A' }],
    encrypted_content: 'e',
  };
  const read = readAll(responses, [
    event('created', { response: { error: null, usage: null } }),
    event('output_item.added', { output_index: 0, item: { type: 'reasoning', id: 'rs_1', summary: [] } }),
    event('reasoning_summary_text.delta', { output_index: 0, summary_index: 0, delta: 'A' }),
    event('reasoning_summary_text.delta', { output_index: 0, summary_index: 1, delta: 'B' }),
    event('output_item.done', { output_index: 0, item: done }),
    event('output_item.added', { output_index: 1, item: { type: 'message', id: 'msg_1' } }),
    event('output_text.delta', { output_index: 1, content_index: 0, delta: 'Let' }),
    event('output_text.delta', { output_index: 1, content_index: 0, delta: ' me' }),
    event('output_item.added', {
      output_index: 2,
      item: { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '' },
    }),
    event('function_call_arguments.delta', { output_index: 2, delta: '{}' }),
    event('completed', {
      response: {
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 1 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 2 },
        },
      },
    }),
  ]);
  expect(read).toEqual({
    parts: [
      { type: 'reasoning', text: 'A\n\nB', seal: { format: 'responses', value: done } },
      { type: 'text', text: 'Let me' },
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{}' },
    ],
    finish: ['tool-calls', 'completed'],
    usage: { input: 9, output: 5, cached: 1, reasoning: 2 },
    complete: true,
  });
});

test('an answer that is cut by its limit is complete, and one that failed is an error', () => {
  const incomplete = event('incomplete', {
    response: { incomplete_details: { reason: 'max_output_tokens' } },
  });
  expect(readAll(responses, [incomplete])).toMatchObject({
    finish: ['length', 'max_output_tokens'],
    complete: true,
  });
  expect(readAll(responses, [event('output_text.delta', { output_index: 0, delta: 'H' })]).complete).toBe(
    false,
  );
  const failed = event('failed', { response: { error: { code: 'server_error', message: 'Busy' } } });
  expect(() => readAll(responses, [failed])).toThrow(
    expect.objectContaining({ message: 'Busy', facts: { code: 'server_error' } }),
  );
});
