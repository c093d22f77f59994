import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionTool } from 'openai/resources/chat/completions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const user = (content: string) => [{ role: 'user' as const, content }];
const weather: ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Current weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const sql: ChatCompletionTool = { type: 'custom', custom: { name: 'run_sql', description: 'Runs a query' } };

/** Makes a request whole and streamed, and expects the same answer both ways. */
async function both(
  request: Omit<OpenAI.ChatCompletionCreateParams, 'model' | 'stream'> & { model?: string },
) {
  const whole = await client.chat.completions.create({ model, ...request, stream: false });
  const options = { include_usage: true };
  const streamed = client.chat.completions.stream({
    model,
    ...request,
    stream: true,
    stream_options: options,
  });
  const folded: ChatCompletion = await streamed.finalChatCompletion();
  expect(folded.choices.map(essence)).toEqual(whole.choices.map(essence));
  expect(folded.usage).toEqual(whole.usage);
  return whole;
}

function essence({ index, finish_reason, logprobs, message }: ChatCompletion.Choice) {
  const calls = message.tool_calls?.map(({ id, type, ...call }) => ({ id, type, call: stripped(call) }));
  return { index, finish_reason, logprobs, content: message.content, refusal: message.refusal, calls };
}

/** The client's helper adds what it parsed. */
function stripped(call: object) {
  return JSON.parse(JSON.stringify(call, (key, value) => (key === 'parsed_arguments' ? undefined : value)));
}

describe('the OpenAI client', () => {
  test('is answered in text', async () => {
    const { choices, usage, ...rest } = await both({ messages: user('What is the gateway?') });
    expect(rest).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{24}$/),
      object: 'chat.completion',
      model,
      service_tier: 'default',
      system_fingerprint: expect.any(String),
    });
    expect(choices).toEqual([
      {
        index: 0,
        finish_reason: 'stop',
        logprobs: null,
        message: { role: 'assistant', content: expect.any(String), refusal: null, annotations: [] },
      },
    ]);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 0,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    });
  });

  test('sends content in parts', async () => {
    const content = [
      { type: 'text' as const, text: 'I like' },
      { type: 'text' as const, text: 'turtles' },
      { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } },
    ];
    const { choices, usage } = await both({ messages: [{ role: 'user', content }] });
    expect(choices[0]?.message.content).toContain('“I like turtles”. It came with 1 attachment.');
    expect(usage?.prompt_tokens).toBeLessThan(100);
  });

  test('gets different choices for n=2', async () => {
    const { choices } = await both({ messages: user('Hello'), n: 2 });
    expect(choices).toHaveLength(2);
    expect(choices[0]?.message.content).not.toBe(choices[1]?.message.content);
  });

  test('stops at a stop string', async () => {
    const { choices } = await both({
      messages: user('What is the gateway?'),
      stop: ['never', 'every model'],
    });
    expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Model Gateway puts ' } });
  });

  test.each(['max_tokens', 'max_completion_tokens'])('is cut at %s', async limit => {
    const request = { messages: user('What is the gateway?'), [limit]: 3 };
    const { choices, usage } = await client.chat.completions.create({ model, ...request });
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'Model Gateway puts' } });
    expect(usage?.completion_tokens).toBe(3);
  });

  test('calls a tool for each of two things, in fragments', async () => {
    const request = { messages: user('What is the weather in Oslo and Rome?'), tools: [sql, weather] };
    const { choices } = await both(request);
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    expect(calls.map(call => call.type === 'function' && call.function)).toEqual([
      { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      { name: 'get_weather', arguments: '{"city":"Rome"}' },
    ]);
    let fragments = 0;
    for await (const chunk of await client.chat.completions.create({ model, ...request, stream: true }))
      if (chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments) fragments++;
    expect(fragments).toBeGreaterThan(3);
    const alone = await both({ ...request, parallel_tool_calls: false });
    expect(alone.choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test('answers from tool results', async () => {
    const first = await both({ messages: user('Weather in Oslo?'), tools: [weather] });
    const asked = first.choices[0]?.message as ChatCompletion.Choice['message'];
    const id = asked.tool_calls?.[0]?.id as string;
    const messages = [
      ...user('Weather in Oslo?'),
      asked,
      { role: 'tool' as const, tool_call_id: id, content: '4 C' },
    ];
    const { choices } = await both({ messages, tools: [weather], tool_choice: 'required' });
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'Here is what I found: get_weather({"city":"Oslo"}) gave 4 C.' },
    });
  });

  test.each<[OpenAI.ChatCompletionToolChoiceOption, string | undefined]>([
    ['none', undefined],
    ['auto', undefined],
    ['required', 'run_sql'],
    [{ type: 'function', function: { name: 'get_weather' } }, 'get_weather'],
    [{ type: 'custom', custom: { name: 'run_sql' } }, 'run_sql'],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
      },
      'get_weather',
    ],
  ])('chooses a tool by %j', async (tool_choice, name) => {
    const request = { model, messages: user('I like turtles'), tools: [sql, weather], tool_choice };
    const { choices } = await client.chat.completions.create(request);
    const call = choices[0]?.message.tool_calls?.[0];
    expect(call && (call.type === 'function' ? call.function.name : call.custom.name)).toBe(name);
    if (name === undefined) expect(choices[0]?.message.content).toContain('turtles');
  });

  test('gives a custom tool text', async () => {
    const request = { messages: user('Run a query: select 1'), tools: [weather, sql] };
    const { choices } = await client.chat.completions.create({ model, ...request });
    expect(choices[0]?.message.tool_calls?.[0]).toMatchObject({
      type: 'custom',
      custom: { name: 'run_sql', input: 'Run a query: select 1' },
    });
  });

  test('gets JSON to a schema', async () => {
    const person = z.strictObject({
      name: z.string(),
      age: z.int().min(18),
      tags: z.array(z.string()).min(2),
    });
    const { choices } = await both({
      messages: user('Who is Ada?'),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'person', strict: true, schema: z.toJSONSchema(person) },
      },
    });
    person.parse(JSON.parse(choices[0]?.message.content ?? ''));
    const plain = await both({ messages: user('Who?'), response_format: { type: 'json_object' } });
    expect(JSON.parse(plain.choices[0]?.message.content ?? '')).toEqual(expect.any(Object));
  });

  test('gets likelihoods', async () => {
    const { choices } = await both({ messages: user('Hello'), logprobs: true, top_logprobs: 2 });
    const tokens = choices[0]?.logprobs?.content ?? [];
    expect(tokens.map(({ token }) => token).join('')).toBe(choices[0]?.message.content);
    for (const { token, logprob, bytes, top_logprobs } of tokens) {
      expect(Buffer.from(bytes ?? []).toString()).toBe(token);
      expect(logprob).toBeLessThan(0);
      expect(top_logprobs).toHaveLength(2);
    }
  });

  test('sees reasoning before the answer', async () => {
    const request = { model, messages: user('Hello'), reasoning_effort: 'low' as const };
    const { choices, usage } = await client.chat.completions.create(request);
    expect(choices[0]?.message).toHaveProperty('reasoning_content', expect.stringContaining('Hello'));
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const kinds: string[] = [];
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
      kinds.push(Object.keys(chunk.choices[0]?.delta ?? {}).join());
    const answer = kinds.indexOf('content');
    expect(kinds.indexOf('reasoning_content')).toBe(1);
    expect(kinds.lastIndexOf('reasoning_content')).toBe(answer - 1);
    const none = await client.chat.completions.create({ ...request, reasoning_effort: 'none' });
    expect(none.choices[0]?.message).not.toHaveProperty('reasoning_content');
  });

  test('is told that a filter let nothing through', async () => {
    const { choices } = await both({ messages: user('Something forbidden') });
    expect(choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { content: '' } });
  });

  test('lists models', async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toContain('sim-fast');
  });

  test('is refused with a key that is not valid', async () => {
    const refused = client.withOptions({ apiKey: 'invalid' });
    await expect(refused.chat.completions.create({ model, messages: user('Hi') })).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    await expect(refused.models.list()).rejects.toThrow(OpenAI.AuthenticationError);
  });
});
