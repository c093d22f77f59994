import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const one = {
  model: 'messages/sim-fast',
  messages: [{ role: 'user' as const, content: 'What is the weather in Oslo and Rome?' }],
};
const three = { ...one, n: 3 };
const tools = [
  {
    type: 'function' as const,
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

describe('n = 3 with an upstream that returns one choice', () => {
  test('n = 3 sends three requests upstream and returns three choices with the summed usage', async () => {
    const single = await client.chat.completions.create(one);
    const before = gateway.simulator.requests.length;
    const { choices, usage } = await client.chat.completions.create(three);
    const sent = gateway.simulator.requests.slice(before);
    expect(sent.map(({ path }) => path)).toEqual(Array(3).fill('/v1/messages'));
    for (const { body } of sent) expect(JSON.parse(body)).not.toHaveProperty('n');
    expect(choices.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, 'stop'],
      [1, 'stop'],
      [2, 'stop'],
    ]);
    for (const { message } of choices) expect(message.content).toBe(single.choices[0]?.message.content);
    expect(usage?.prompt_tokens).toBe(3 * (single.usage?.prompt_tokens ?? 0));
    expect(usage?.completion_tokens).toBe(3 * (single.usage?.completion_tokens ?? 0));
  });

  test('a stream with n = 3 has a role, text and finish reason for each choice, and one usage chunk', async () => {
    const whole = await client.chat.completions.create(three);
    const options = { stream: true as const, stream_options: { include_usage: true } };
    const chunks = await Array.fromAsync(await client.chat.completions.create({ ...three, ...options }));
    for (const { index, message, finish_reason } of whole.choices) {
      const own = chunks.flatMap(({ choices }) => choices.filter(choice => choice.index === index));
      expect(own[0]?.delta.role).toBe('assistant');
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
      expect(own.map(choice => choice.finish_reason).filter(Boolean)).toEqual([finish_reason]);
    }
    const usages = chunks.flatMap(({ usage }) => usage ?? []);
    expect(usages).toHaveLength(1);
    expect(usages[0]).toMatchObject({ total_tokens: whole.usage?.total_tokens });
    const final = await client.chat.completions.stream(three).finalChatCompletion();
    expect(final.choices.map(({ message }) => message.content)).toEqual(
      whole.choices.map(({ message }) => message.content),
    );
  });

  test('each of three choices has its own parallel calls', async () => {
    for (const { choices } of [
      await client.chat.completions.create({ ...three, tools }),
      await client.chat.completions.stream({ ...three, tools }).finalChatCompletion(),
    ]) {
      expect(choices.map(({ finish_reason }) => finish_reason)).toEqual(Array(3).fill('tool_calls'));
      for (const { message } of choices) {
        const calls = (message.tool_calls ?? []).flatMap(call => (call.type === 'function' ? [call] : []));
        expect(calls.map(call => JSON.parse(call.function.arguments).city)).toEqual(['Oslo', 'Rome']);
      }
    }
  });
});

test('a client that disconnects closes all three upstreams', async () => {
  const request = { ...three, model: 'messages/sim-slow', stream: true as const };
  for await (const _ of await client.chat.completions.create(request)) {
    expect(gateway.simulator.openStreams()).toBe(3);
    break;
  }
  await expect.poll(() => gateway.simulator.openStreams()).toBe(0);
});

test.each(['fault-529', 'fault-error-first'])('%s from all three upstreams is one error', async fault => {
  const error = await client.chat.completions.create({ ...three, model: `messages/${fault}` }).catch(e => e);
  expect(error).toMatchObject({ status: 503, code: 'server_is_overloaded' });
});

test.each(['fault-error', 'fault-truncate'])(
  '%s in three streams ends the response with an error',
  async fault => {
    const request = { ...three, model: `messages/${fault}`, stream: true as const };
    const read = async () => Array.fromAsync(await client.chat.completions.create(request));
    await expect(read()).rejects.toThrow(OpenAI.APIError);
  },
);
