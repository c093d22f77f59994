import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FourUpstreams, startFourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new Anthropic({ baseURL: gateway.stack.url, authToken: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'The weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const textOf = ({ content }: Anthropic.Message) =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('');
const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({
  role: 'user',
  content,
});
const assistant = ({ content }: Anthropic.Message): Anthropic.MessageParam => ({
  role: 'assistant',
  content,
});

describe.each(upstreams)('the Anthropic SDK with an upstream of %s', upstream => {
  const model = (name: string) => `${upstream}/${name}`;
  const ask = (
    content: Anthropic.MessageParam['content'],
    more: Partial<Anthropic.MessageCreateParams> = {},
  ) => ({
    model: model('sim-fast'),
    max_tokens: 2_000,
    messages: [user(content)],
    ...more,
    stream: false as const,
  });

  test('messages.create returns a whole message with every field of the format', async () => {
    const { data, response, request_id } = await client.messages.create(ask('Hello')).withResponse();
    expect(data).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'sim-fast',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: expect.any(Number),
      },
    });
    expect(data.content).toEqual([{ type: 'text', text: expect.stringMatching(/./), citations: null }]);
    expect(request_id).toMatch(/^req_[0-9a-f]{24}$/);
    expect(response.headers.get('x-gateway-model')).toBe(model('sim-fast'));
  });

  test('messages.stream returns the same text and usage in deltas', async () => {
    const request = ask('What is the gateway?');
    const whole = await client.messages.create(request);
    const stream = client.messages.stream({ ...request, stream: undefined });
    const pieces: string[] = [];
    stream.on('text', piece => pieces.push(piece));
    const final = await stream.finalMessage();
    expect(final.content).toEqual(whole.content);
    expect(final).toMatchObject({ model: whole.model, stop_reason: 'end_turn' });
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(textOf(whole));
    expect(final.usage.output_tokens).toBe(whole.usage.output_tokens);
    expect(inputOf(final)).toBe(inputOf(whole));
  });

  test.each([false, true])(
    'the tool runner, which first sends a thread, completes its loop; streamed: %s',
    async stream => {
      const asked: string[] = [];
      const run = betaZodTool({
        name: 'weather',
        description: 'The weather in a city',
        inputSchema: z.object({ city: z.string() }),
        run: ({ city }) => {
          asked.push(city);
          return `4 C in ${city}`;
        },
      });
      const runner = client.beta.messages.toolRunner({
        ...ask('What is the weather in Oslo and Rome?'),
        stream,
        tools: [run],
      } as Parameters<typeof client.beta.messages.toolRunner>[0]);
      const final = await runner.runUntilDone();
      expect(asked).toEqual(['Oslo', 'Rome']);
      expect(JSON.stringify(final.content)).toContain('4 C in Rome');
    },
  );

  test('messages.parse returns JSON that follows a schema', async () => {
    const schema = z.object({ name: z.string(), stars: z.int() });
    const format = zodOutputFormat(schema);
    const parsed = await client.messages.parse({ ...ask('Rate it'), output_config: { format } });
    expect(schema.parse(parsed.parsed_output)).toEqual(parsed.parsed_output);
  });

  test('countTokens returns a count of tokens', async () => {
    const { data, response } = await client.messages
      .countTokens({
        model: model('sim-fast'),
        messages: [user('Weather in Oslo?')],
        tools: [weather],
        system: 'Be brief.',
      })
      .withResponse();
    expect(data.input_tokens).toBeGreaterThan(10);
    expect(response.headers.get('x-gateway-estimate')).toBe(upstream === 'chat' ? 'true' : null);
  });

  describe('errors of the SDK', () => {
    const failure = async (body: Partial<Anthropic.MessageCreateParamsNonStreaming>, own = client) => {
      const whole = await own.messages.create({ ...ask('x'), ...body }).catch(error => error);
      const { stream: _, ...rest } = { ...ask('x'), ...body };
      const cut = await own.messages
        .stream(rest)
        .finalMessage()
        .catch(error => error);
      expect(cut.constructor).toBe(whole.constructor);
      expect(cut).toMatchObject({ status: whole.status, type: whole.type });
      expect(whole.requestID).toMatch(/^req_/);
      return whole;
    };

    test('an unknown model throws a NotFoundError', async () => {
      for (const name of ['nope', model('fault-nope')]) {
        const error = await failure({ model: name });
        expect(error).toBeInstanceOf(Anthropic.NotFoundError);
        expect(error.type).toBe('not_found_error');
      }
    });

    test('a wrong token throws an AuthenticationError', async () => {
      const error = await failure({}, client.withOptions({ authToken: 'sk-wrong' }));
      expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
      expect(error.type).toBe('authentication_error');
    });

    test('a value out of range and an empty list of messages throw a BadRequestError', async () => {
      const error = await failure({ max_tokens: -1 });
      expect(error).toBeInstanceOf(Anthropic.BadRequestError);
      expect(error.message).toContain('max_tokens');
      const none = await failure({ messages: [] });
      expect(none).toBeInstanceOf(Anthropic.BadRequestError);
      expect(none.message).toContain('messages: ');
    });

    test('a rate limit throws a RateLimitError with retry-after', async () => {
      const error = await failure({ model: model('fault-429') });
      expect(error).toBeInstanceOf(Anthropic.RateLimitError);
      expect(error.type).toBe('rate_limit_error');
      expect(error.headers.get('retry-after')).toBe('7');
    });

    test('an overloaded upstream throws an OverloadedError', async () => {
      const error = await failure({ model: model('fault-529') });
      expect(error).toBeInstanceOf(Anthropic.OverloadedError);
      expect(error).toMatchObject({ status: 529, type: 'overloaded_error' });
    });

    test("a refused provider key is not reported as the client's error", async () => {
      const error = await failure({ model: model('fault-401') });
      expect(error).toBeInstanceOf(Anthropic.InternalServerError);
    });

    test.each(['fault-error', 'fault-truncate', 'fault-reset'])(
      'a broken stream throws an error: %s',
      async name => {
        const stream = client.messages.stream({
          ...ask('What is the gateway?'),
          model: model(name),
          stream: undefined,
        });
        await expect(stream.finalMessage()).rejects.toThrow(Anthropic.AnthropicError);
      },
    );
  });
});

describe('thinking blocks', () => {
  const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
  const request = (upstream: string) => ({
    model: `${upstream}/sim-fast`,
    max_tokens: 2_000,
    messages: [user('What is the weather in Oslo?')],
    tools: [weather],
    thinking,
  });

  /** Signatures as clients store them: those of vendors other than Anthropic are tagged. */
  const proofs: Record<Upstream, RegExp> = {
    messages: /^EqQB/,
    chat: /^$/,
    'generate-content': /^gg:/,
    responses: /^or:/,
  };

  test.each(upstreams)(
    'thinking comes before the text, whole and streamed, with its tokens, from %s',
    async upstream => {
      const asked = request(upstream);
      for (const answer of [
        await client.messages.create(asked),
        await client.messages.stream(asked).finalMessage(),
      ]) {
        expect(answer.content).toMatchObject([
          {
            type: 'thinking',
            thinking: expect.stringContaining('Oslo'),
            signature: expect.stringMatching(proofs[upstream]),
          },
          { type: 'tool_use', input: { city: 'Oslo' } },
        ]);
        expect(answer.usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
      }
    },
  );

  test('redacted or changed thinking is passed to the upstream', async () => {
    const asked = { ...request('messages'), messages: [user('Please redact')] };
    const first = await client.messages.create(asked);
    expect(first.content[0]?.type).toBe('redacted_thinking');
    const again = [...asked.messages, assistant(first), user('And?')];
    expect((await client.messages.create({ ...asked, messages: again })).stop_reason).toBe('end_turn');
    const forged = { type: 'thinking' as const, thinking: 'x', signature: 'EqQBAAAA' };
    const messages = [...asked.messages, { role: 'assistant' as const, content: [forged] }, user('And?')];
    const error = await client.messages.create({ ...asked, messages }).catch(error => error);
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error.message).toContain('signature');
  });
});

describe('models of the SDK', () => {
  test('models.list returns named models page by page, and models.retrieve one of them', async () => {
    const listed: string[] = [];
    for await (const { id, type } of client.models.list({ limit: 1 })) listed.push(`${type} ${id}`);
    const names = ['sim-fast', 'claude-opus-4-6'];
    expect(listed).toEqual(names.flatMap(name => upstreams.map(upstream => `model ${upstream}/${name}`)));
    expect(await client.models.retrieve('chat/sim-fast')).toMatchObject({ display_name: 'chat/sim-fast' });
    expect(await client.models.retrieve('nope').catch(error => error)).toBeInstanceOf(
      Anthropic.NotFoundError,
    );
  });
});

/** All input tokens: part of a second request's input may come from a cache. */
function inputOf({ usage }: Anthropic.Message): number {
  return usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
}
