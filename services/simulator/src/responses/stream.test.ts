import { type ResponsesStreamEvent, responsesStreamEvent } from '@model-gateway/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

/** The events of an answer, each with its name in both places, its number, and fields that its type has. */
async function events(request: object): Promise<ResponsesStreamEvent[]> {
  const response = await fetch(`${simulator.url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ stream: true, input: 'Hello', ...request }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const frames = (await response.text()).split('\n\n');
  expect(frames.pop()).toBe('');
  return frames.map((frame, at) => {
    const [, name, data] = /^event: ([a-z_.]+)\ndata: ([^\n]+)$/.exec(frame) ?? [];
    const event = responsesStreamEvent.parse(JSON.parse(data ?? ''));
    expect(event).toMatchObject({ type: name, sequence_number: at });
    return event;
  });
}

/** Their types without `response.`, the same one after another once. */
function order(all: ResponsesStreamEvent[]): string[] {
  const types = all.map(({ type }) => type.replace('response.', ''));
  return types.filter((type, at) => type !== types[at - 1]);
}

const text = [
  'output_item.added',
  'content_part.added',
  'output_text.delta',
  'output_text.done',
  'content_part.done',
  'output_item.done',
];
const summary = [
  'output_item.added',
  'reasoning_summary_part.added',
  'reasoning_summary_text.delta',
  'reasoning_summary_text.done',
  'reasoning_summary_part.done',
  'output_item.done',
];
const call = [
  'output_item.added',
  'function_call_arguments.delta',
  'function_call_arguments.done',
  'output_item.done',
];
const tool = (type: string) => ({ type, name: 'look_up', description: 'Looks up' });

test.each<[string, object, string[]]>([
  ['text', {}, [...text, 'completed']],
  [
    'a summary of reasoning',
    { reasoning: { effort: 'low', summary: 'auto' } },
    [...summary, ...text, 'completed'],
  ],
  [
    'reasoning alone',
    { reasoning: { effort: 'low' } },
    ['output_item.added', 'output_item.done', ...text, 'completed'],
  ],
  [
    'two calls',
    { input: 'Look up Oslo and Rome', tools: [tool('function')] },
    [...call, ...call, 'completed'],
  ],
  [
    'a call of a custom tool',
    { input: 'Look up Oslo', tools: [tool('custom')] },
    [
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ],
  ],
  [
    'a refusal',
    { input: 'Please refuse' },
    [
      'output_item.added',
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ],
  ],
  [
    'a search',
    { input: 'Search', tools: [{ type: 'web_search' }] },
    [
      'output_item.added',
      'web_search_call.in_progress',
      'web_search_call.searching',
      'web_search_call.completed',
      'output_item.done',
      ...text.slice(0, 3),
      'output_text.annotation.added',
      ...text.slice(3),
      'completed',
    ],
  ],
  ['a cut', { input: 'What is the gateway?', max_output_tokens: 16 }, [...text, 'incomplete']],
  ['nothing', { input: 'Something forbidden' }, ['incomplete']],
])('%s comes in order', async (_what, request, expected) => {
  const all = await events({ model: 'sim-fast', ...request });
  expect(order(all)).toEqual(['created', 'in_progress', ...expected]);
});

test('each token is an event, of the same size unless that is not wanted', async () => {
  const deltas = (all: ResponsesStreamEvent[]) =>
    all.filter(({ type }) => type === 'response.output_text.delta');
  const padded = deltas(await events({ model: 'sim-t40' }));
  expect(padded).toHaveLength(40);
  expect(padded[0]).toHaveProperty('obfuscation');
  const plain = deltas(await events({ model: 'sim-t40', stream_options: { include_obfuscation: false } }));
  expect(plain[0]).not.toHaveProperty('obfuscation');
});

test('what fails says so twice, with the numbers going on', async () => {
  const all = await events({ model: 'fault-error-t20', tools: [tool('function')] });
  expect(all.slice(-2)).toMatchObject([
    { type: 'error', code: 'server_is_overloaded', message: expect.any(String) },
    { type: 'response.failed', response: { status: 'failed', error: { code: 'server_is_overloaded' } } },
  ]);
});
