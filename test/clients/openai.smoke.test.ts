import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startSimulated(
    url => ({
      providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${url}/v1` }],
      models: [
        { name: 'sim-fast', targets: [{ provider: 'sim', model: 'sim-fast' }] },
        { name: 'house/llama3.1:8b', targets: [{ provider: 'sim', model: 'sim-fast' }] },
        { name: 'sim-*', targets: [{ provider: 'sim', model: 'sim-*' }] },
      ],
    }),
    { described: true },
  );
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});

afterAll(() => gateway?.stop());

const ask = (content: string) => ({ model: 'sim-fast', messages: [{ role: 'user' as const, content }] });
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

describe('chat.completions', () => {
  test('chat.completions.create returns a completion with every field of the format', async () => {
    const { data, response } = await client.chat.completions.create(ask('Hello')).withResponse();
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'sim-fast',
      system_fingerprint: expect.any(String),
    });
    expect(data.choices[0]).toMatchObject({ index: 0, finish_reason: 'stop', logprobs: null });
    expect(data.choices[0]?.message).toMatchObject({ role: 'assistant', refusal: null });
    expect(data.usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    expect(data.usage?.completion_tokens_details).toMatchObject({
      reasoning_tokens: 0,
      accepted_prediction_tokens: 0,
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/);
    expect(response.headers.get('x-gateway-model')).toBe('sim-fast');
  });

  test('chat.completions.stream returns the same text, and no usage unless requested', async () => {
    const whole = await client.chat.completions.create(ask('Hello'));
    let text = '';
    for await (const chunk of await client.chat.completions.create({ ...ask('Hello'), stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      expect(chunk.choices).toHaveLength(1);
      expect(chunk.usage ?? null).toBeNull();
    }
    expect(text).toBe(whole.choices[0]?.message.content);
  });

  test('the stream helper with usage returns the final completion', async () => {
    const stream = client.chat.completions.stream({
      ...ask('Hello'),
      stream_options: { include_usage: true },
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe('stop');
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
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

  test('chat.completions.parse returns JSON that follows a schema', async () => {
    const schema = z.object({ name: z.string(), stars: z.int().min(1).max(5) });
    const parsed = await client.chat.completions.parse({
      ...ask('Rate it'),
      response_format: zodResponseFormat(schema, 'rating'),
    });
    expect(schema.parse(parsed.choices[0]?.message.parsed)).toBeDefined();
  });

  test('a model name may contain a slash and a colon', async () => {
    const { response } = await client.chat.completions
      .create({ ...ask('Hello'), model: 'house/llama3.1:8b' })
      .withResponse();
    expect(response.headers.get('x-gateway-model')).toBe('house/llama3.1:8b');
  });
});

describe('errors of the SDK', () => {
  test('an unknown model throws a NotFoundError', async () => {
    const error = await client.chat.completions.create({ ...ask('x'), model: 'nope' }).catch(e => e);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error' });
    expect(error.requestID).toMatch(/^req_/);
  });

  test('a wrong, missing, expired or revoked token throws an AuthenticationError', async () => {
    const tokens = [
      'sk-wrong',
      await gateway.stack.addToken({ expiresAt: Date.now() - 1 }),
      await gateway.stack.addToken({ revoked: true }),
    ];
    for (const apiKey of tokens) {
      const error = await client
        .withOptions({ apiKey })
        .chat.completions.create(ask('x'))
        .catch(e => e);
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect(error.code).toBe('invalid_api_key');
    }
    const response = await fetch(`${gateway.stack.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });

  test('a token is refused as soon as its tombstone is written', async () => {
    const secret = await gateway.stack.addToken({});
    const own = client.withOptions({ apiKey: secret });
    await own.chat.completions.create(ask('x'));
    await gateway.stack.addToken({ revoked: true }, secret);
    await expect.poll(() => own.chat.completions.create(ask('x')).catch(e => e.status)).toBe(401);
  });

  test('a value out of range throws a BadRequestError', async () => {
    const error = await client.chat.completions.create({ ...ask('x'), top_p: 3 }).catch(e => e);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ param: 'top_p', code: 'decimal_above_max_value' });
  });
});

describe('models of the SDK', () => {
  test('models.list returns named models, and models.retrieve also models that match a pattern', async () => {
    const listed = [];
    for await (const model of client.models.list()) listed.push(model.id);
    expect(listed).toEqual(['sim-fast', 'house/llama3.1:8b']);
    expect(await client.models.retrieve('house/llama3.1:8b')).toMatchObject({
      object: 'model',
      owned_by: 'sim',
    });
    expect((await client.models.retrieve('sim-t20')).id).toBe('sim-t20');
    expect(await client.models.retrieve('nope').catch(e => e)).toBeInstanceOf(OpenAI.NotFoundError);
  });
});
