import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const tools = [
  {
    name: 'get_weather',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

/** The data of an answer's events; each must carry the name of its event. */
async function events(request: object) {
  const response = await fetch(`${simulator.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' },
    body: JSON.stringify({
      model: 'sim-fast',
      max_tokens: 2_000,
      stream: true,
      messages: [{ role: 'user', content: 'Hello' }],
      ...request,
    }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('request-id')).toMatch(/^req_/);
  const parts = (await response.text()).split('\n\n');
  expect(parts.pop()).toBe('');
  return parts.map(part => {
    const [, name, data] = /^event: (\w+)\ndata: ([^\n]+)$/.exec(part) ?? [];
    const parsed = JSON.parse(data as string);
    expect(parsed.type).toBe(name);
    return parsed;
  });
}

/** Its type, with what tells its block or delta apart. */
const named = ({ type, index, content_block, delta }: Awaited<ReturnType<typeof events>>[number]) =>
  [type, index, content_block?.type ?? delta?.type].filter(part => part !== undefined).join(' ');

/** Each run of the same name once. */
const order = (names: string[]) => names.filter((name, at) => name !== names[at - 1]);

test('a text is one block, exactly as many deltas as the name says', async () => {
  const all = await events({ model: 'sim-t40' });
  expect(order(all.map(named))).toEqual([
    'message_start',
    'content_block_start 0 text',
    'ping',
    'content_block_delta 0 text_delta',
    'content_block_stop 0',
    'message_delta',
    'message_stop',
  ]);
  expect(all.filter(({ type }) => type === 'content_block_delta')).toHaveLength(40);
  expect(all[0].message).toMatchObject({
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  });
  expect(all.at(-2)).toMatchObject({
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { input_tokens: 3, output_tokens: 40 },
  });
});

test('thinking and calls are blocks one after another', async () => {
  const messages = [{ role: 'user', content: 'get weather in Oslo and Rome' }];
  const all = await events({ messages, tools, thinking: { type: 'adaptive' } });
  expect(order(all.map(named))).toEqual([
    'message_start',
    'content_block_start 0 thinking',
    'ping',
    'content_block_delta 0 thinking_delta',
    'content_block_delta 0 signature_delta',
    'content_block_stop 0',
    'content_block_start 1 tool_use',
    'content_block_delta 1 input_json_delta',
    'content_block_stop 1',
    'content_block_start 2 tool_use',
    'content_block_delta 2 input_json_delta',
    'content_block_stop 2',
    'message_delta',
    'message_stop',
  ]);
});

test('thinking that is kept back is a signature alone', async () => {
  const all = await events({ thinking: { type: 'adaptive', display: 'omitted' } });
  const first = all.filter(({ index }) => index === 0).map(named);
  expect(first).toEqual([
    'content_block_start 0 thinking',
    'content_block_delta 0 signature_delta',
    'content_block_stop 0',
  ]);
});

test('what readers take for a line end is escaped', async () => {
  const all = await events({ messages: [{ role: 'user', content: 'Look up a\u2028b' }] });
  expect(all.map(({ delta }) => delta?.text ?? '').join('')).toContain('a');
});

test('an answer without content has no blocks', async () => {
  expect((await events({ max_tokens: 0 })).map(named)).toEqual([
    'message_start',
    'message_delta',
    'message_stop',
  ]);
});
