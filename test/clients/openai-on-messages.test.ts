import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FourUpstreams, startFourUpstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
/** The message of an answer and its calls with their arguments. */
function messageOf(completion: OpenAI.ChatCompletion) {
  const { message, finish_reason: finish } = completion.choices[0] as OpenAI.ChatCompletion.Choice;
  const calls = (message.tool_calls ?? []).flatMap(call => (call.type === 'function' ? [call] : []));
  return { message, finish, calls, cities: calls.map(call => JSON.parse(call.function.arguments).city) };
}

// The first model has a thinking budget and calls a tool to follow a schema; the second has adaptive thinking
// and accepts a schema.
const generations = { 'sim-fast': 'sim-fast', 'claude-opus-4-6': 'sim-fast-claude-opus-4-6' };

describe.each(Object.entries(generations))('chat.completions with the messages upstream %s', (name, own) => {
  const model = `messages/${name}`;
  const ask = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] });
  const tooled = { ...ask('What is the weather in Oslo and Rome?'), tools: [weather] };

  test('chat.completions.create returns a completion with every field of the format', async () => {
    const { data, response } = await client.chat.completions.create(ask('Hello')).withResponse();
    expect(data).toMatchObject({ object: 'chat.completion', model: own });
    expect(data.id).toMatch(/^chatcmpl-/);
    expect(data.choices).toEqual([
      {
        index: 0,
        finish_reason: 'stop',
        logprobs: null,
        message: expect.objectContaining({
          role: 'assistant',
          content: expect.stringMatching(/./),
          refusal: null,
        }),
      },
    ]);
    const { prompt_tokens, completion_tokens, total_tokens } = data.usage as OpenAI.CompletionUsage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/);
    expect(response.headers.get('x-gateway-model')).toBe(model);
    expect(gateway.simulator.requests.at(-1)?.path).toBe('/v1/messages');
  });

  test('chat.completions.stream returns the same text, and no usage unless requested', async () => {
    const whole = messageOf(await client.chat.completions.create(ask('Hello')));
    let text = '';
    const finishes: (string | null)[] = [];
    for await (const chunk of await client.chat.completions.create({ ...ask('Hello'), stream: true })) {
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
      finishes.push(chunk.choices[0]?.finish_reason ?? null);
    }
    expect(text).toBe(whole.message.content);
    expect(finishes.filter(Boolean)).toEqual(['stop']);
  });

  test('a stream with include_usage has a usage chunk with the counts of a non-streamed completion', async () => {
    const whole = await client.chat.completions.create(ask('Hello'));
    const options = { stream: true as const, stream_options: { include_usage: true } };
    const chunks = await Array.fromAsync(
      await client.chat.completions.create({ ...ask('Hello'), ...options }),
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: whole.usage?.total_tokens } });
    expect(chunks.slice(0, -1).every(({ usage }) => (usage ?? null) === null)).toBe(true);
  });

  test('two parallel tools and their results work, whole and streamed', async () => {
    for (const answer of [
      await client.chat.completions.create(tooled),
      await client.chat.completions.stream(tooled).finalChatCompletion(),
    ]) {
      const { message, finish, calls, cities } = messageOf(answer);
      expect(finish).toBe('tool_calls');
      expect(cities).toEqual(['Oslo', 'Rome']);
      const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '4 C' }));
      const messages = [...tooled.messages, message, ...results];
      const next = messageOf(await client.chat.completions.create({ ...tooled, messages }));
      expect(next.message.content).toContain('weather({"city":"Rome"}) gave 4 C');
      const [, , last] = gateway.received().messages as { role: string; content: object[] }[];
      expect(last).toMatchObject({
        role: 'user',
        content: [{ type: 'tool_result' }, { type: 'tool_result' }],
      });
    }
  });

  test.each<[Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, number]>([
    [{ tool_choice: 'none' }, 0],
    [{ tool_choice: 'required' }, 2],
    [{ tool_choice: { type: 'function', function: { name: 'weather' } } }, 2],
    [{ parallel_tool_calls: false }, 1],
  ])('the tool options %j are followed', async (choice, count) => {
    const { calls } = messageOf(
      await client.chat.completions.create({ ...tooled, ...choice, stream: false }),
    );
    expect(calls).toHaveLength(count);
  });

  test('the tool runner completes its loop', async () => {
    const asked: string[] = [];
    const runner = client.chat.completions.runTools({
      ...ask('What is the weather in Oslo and Rome?'),
      stream: true,
      tools: [
        {
          type: 'function',
          function: {
            ...weather.function,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => {
              asked.push(city);
              return `4 C in ${city}`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toContain('4 C in Rome');
    expect(asked).toEqual(['Oslo', 'Rome']);
  });

  test('chat.completions.parse returns JSON that follows a schema, whole and streamed', async () => {
    const schema = z.object({ name: z.string(), stars: z.int().min(1).max(5) });
    const request = { ...ask('Rate it'), response_format: zodResponseFormat(schema, 'rating') };
    for (const { choices } of [
      await client.chat.completions.parse(request),
      await client.chat.completions.stream(request).finalChatCompletion(),
    ]) {
      expect(schema.parse(choices[0]?.message.parsed)).toEqual(choices[0]?.message.parsed);
      expect(choices[0]).toMatchObject({ finish_reason: 'stop' });
      expect(choices[0]?.message.tool_calls ?? []).toEqual([]);
    }
  });

  test('reasoning_effort returns reasoning_content, whose signature is sent back upstream', async () => {
    const request = { ...tooled, reasoning_effort: 'medium' as const };
    let streamed = '';
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true }))
      streamed += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '';
    const answer = await client.chat.completions.create(request);
    const { message, calls } = messageOf(answer);
    expect(message).toMatchObject({ reasoning_content: streamed });
    expect(streamed).toContain('Oslo');
    expect(answer.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '4 C' }));
    const messages = [...request.messages, message, ...results];
    const next = messageOf(await client.chat.completions.create({ ...request, messages }));
    expect(next.message.content).toContain('4 C');
    const [, turn] = gateway.received().messages as { content: object[] }[];
    expect(turn?.content).toMatchObject([
      { type: 'thinking', thinking: streamed, signature: expect.stringMatching(/^EqQB/) },
      { type: 'tool_use' },
      { type: 'tool_use' },
    ]);
  });

  test('reasoning survives turns for a client that keeps only the fields of the format', async () => {
    const request = { ...tooled, reasoning_effort: 'medium' as const };
    const { calls } = messageOf(await client.chat.completions.create(request));
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '4 C' }));
    const plain = { role: 'assistant' as const, content: null, tool_calls: calls };
    const messages = [...request.messages, plain, ...results];
    const next = messageOf(await client.chat.completions.create({ ...request, messages }));
    expect(next.message.content).toContain('4 C');
  });

  test.each([
    [`chat/${name}`, model],
    [model, `chat/${name}`],
  ])('a conversation that %s began is continued by %s', async (before, after) => {
    const request = { ...tooled, reasoning_effort: 'medium' as const };
    const { message, calls } = messageOf(await client.chat.completions.create({ ...request, model: before }));
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '4 C' }));
    const messages = [...request.messages, message, ...results];
    const next = messageOf(await client.chat.completions.create({ ...request, model: after, messages }));
    expect(next.message.content).toContain('weather({"city":"Rome"}) gave 4 C');
  });

  test('a refusal, a token limit and a stop sequence have the finish reasons of the format', async () => {
    const finish = async (more: object, content = 'What is the gateway?') =>
      messageOf(await client.chat.completions.create({ ...ask(content), ...more, stream: false }));
    expect(await finish({ max_completion_tokens: 3 })).toMatchObject({ finish: 'length' });
    const stopped = await finish({ stop: ['never', 'every model'] });
    expect(stopped).toMatchObject({ finish: 'stop', message: { content: 'Model Gateway puts ' } });
    const refused = await finish({}, 'Please refuse this');
    expect(refused.finish).toBe('content_filter');
    expect(refused.message.refusal).toContain('not help');
  });

  test('instructions and images reach the model', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    await client.chat.completions.create({
      model,
      messages: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'system', content: 'Be wise.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    expect(gateway.received()).toMatchObject({
      system: [{ text: 'Be kind.' }, { text: 'Be wise.' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          ],
        },
      ],
    });
  });
});

describe('errors of the SDK', () => {
  const ask = (content: string) => ({
    model: 'messages/sim-fast',
    messages: [{ role: 'user' as const, content }],
  });
  const failure = async (body: object) => {
    const request = { ...ask('x'), ...body };
    const whole = await client.chat.completions.create(request).catch(error => error);
    const cut = await client.chat.completions.create({ ...request, stream: true }).catch(error => error);
    expect(cut.constructor).toBe(whole.constructor);
    expect(cut).toMatchObject({ status: whole.status, code: whole.code });
    expect(whole.requestID).toMatch(/^req_/);
    return whole;
  };

  test.each([
    ['fault-nope', OpenAI.NotFoundError, 404, 'model_not_found'],
    ['fault-429', OpenAI.RateLimitError, 429, 'rate_limit_exceeded'],
    ['fault-529', OpenAI.InternalServerError, 503, 'server_is_overloaded'],
    ['fault-401', OpenAI.InternalServerError, 502, 'upstream_error'],
  ])('%s throws the matching error class of the SDK', async (name, kind, status, code) => {
    const error = await failure({ model: `messages/${name}` });
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ status, code });
    if (name === 'fault-429') expect(error.headers.get('retry-after')).toBe('7');
  });

  test.each([
    ['n', { n: 9 }],
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { '1': 5 } }],
  ])('%s, which the upstream does not support, is named in the error', async (param, body) => {
    const error = await failure(body);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error.param).toBe(param);
  });

  test.each(['fault-error', 'fault-truncate', 'fault-reset'])(
    '%s in a stream throws an error',
    async name => {
      const request = { ...ask('What is the gateway?'), model: `messages/${name}`, stream: true as const };
      const read = async () => Array.fromAsync(await client.chat.completions.create(request));
      await expect(read()).rejects.toThrow(OpenAI.APIError);
    },
  );
});
