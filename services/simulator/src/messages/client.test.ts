import Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageCreateParamsNonStreaming, Tool } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: Anthropic;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new Anthropic({ baseURL: simulator.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const basic = { model: 'sim-fast', max_tokens: 2_000 };
const user = (content: Anthropic.MessageParam['content']) => [{ role: 'user' as const, content }];
const weather: Tool = {
  name: 'get_weather',
  description: 'Current weather in a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
type Asked = Omit<MessageCreateParamsNonStreaming, 'model' | 'max_tokens'> & { max_tokens?: number };

/** Makes a request whole and streamed, and expects the same answer both ways. */
async function both(request: Asked): Promise<Message> {
  const whole = await client.messages.create({ ...basic, ...request });
  const folded = await client.messages.stream({ ...basic, ...request }).finalMessage();
  expect({ ...plain(folded), id: '' }).toEqual({ ...plain(whole), id: '' });
  return whole;
}

/** Without what the client's helper adds, and without what two requests in a row have in different parts of the cache. */
function plain(message: Message): Message {
  return JSON.parse(JSON.stringify(message, (key, value) => (/^(_|parsed)/.test(key) ? undefined : value)));
}

const textOf = ({ content }: Message) =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('');

describe('the Anthropic client', () => {
  test('is answered in text', async () => {
    const { content, usage, ...rest } = await both({ messages: user('What is the gateway?') });
    expect(rest).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'sim-fast',
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      diagnostics: null,
    });
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^Model Gateway/), citations: null },
    ]);
    expect(usage).toEqual({
      input_tokens: 7,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: expect.any(Number),
      output_tokens_details: { thinking_tokens: 0 },
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: null,
      speed: null,
    });
  });

  test('is told that a filter let nothing through', async () => {
    const { content, stop_reason } = await both({ messages: user('Something forbidden') });
    expect({ content, stop_reason }).toEqual({ content: [], stop_reason: 'refusal' });
  });

  test('heeds instructions wherever they stand', async () => {
    const messages = user('What is the gateway?');
    const answers = [
      await both({ messages, system: 'Answer in five words.' }),
      await both({ messages, system: [{ type: 'text', text: 'Answer in five words.' }] }),
      await both({ messages: [...messages, { role: 'system', content: 'Answer in five words.' }] }),
    ];
    for (const answer of answers) expect(textOf(answer).split(' ')).toHaveLength(5);
  });

  test('sends images', async () => {
    const image = {
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data: 'iVBORw0KGgo=' },
    };
    expect(textOf(await both({ messages: user([{ type: 'text', text: 'Look' }, image]) }))).toContain(
      '1 attachment',
    );
  });

  test('stops at a stop sequence, whose name it gets', async () => {
    const answer = await both({
      messages: user('What is the gateway?'),
      stop_sequences: ['never', 'every model'],
    });
    expect(answer).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'every model' });
    expect(textOf(answer)).toBe('Model Gateway puts ');
  });

  test('is cut at max_tokens', async () => {
    const answer = await both({ messages: user('What is the gateway?'), max_tokens: 3 });
    expect(answer).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } });
    expect(textOf(answer)).toBe('Model Gateway puts');
    expect(await both({ messages: user('Hi'), max_tokens: 0 })).toMatchObject({
      content: [],
      stop_reason: 'max_tokens',
    });
  });

  test('is refused what the user wants refused', async () => {
    const answer = await both({ messages: user('Please refuse this') });
    expect(answer).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', explanation: textOf(answer) },
    });
  });

  test('calls a tool for each of two things, a block each, and is answered', async () => {
    const asked = user('What is the weather in Oslo and Rome?');
    const first = await both({ messages: asked, tools: [weather] });
    expect(first.stop_reason).toBe('tool_use');
    const use = (city: string) => ({
      type: 'tool_use',
      id: expect.stringMatching(/^toolu_/),
      name: 'get_weather',
      input: { city },
      caller: { type: 'direct' },
    });
    expect(first.content).toEqual([use('Oslo'), use('Rome')]);
    const results = first.content.flatMap(block =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '4 C' }]
        : [],
    );
    const messages = [...asked, { role: 'assistant' as const, content: first.content }, ...user(results)];
    const answer = await both({ messages, tools: [weather], tool_choice: { type: 'any' } });
    expect(textOf(answer)).toBe(
      'Here is what I found: get_weather({"city":"Oslo"}) gave 4 C, and get_weather({"city":"Rome"}) gave 4 C.',
    );
    const choice = { type: 'auto' as const, disable_parallel_tool_use: true };
    expect((await both({ messages: asked, tools: [weather], tool_choice: choice })).content).toHaveLength(1);
  });

  test.each<[Anthropic.ToolChoice, string]>([
    [{ type: 'auto' }, 'text'],
    [{ type: 'none' }, 'text'],
    [{ type: 'any' }, 'tool_use'],
    [{ type: 'tool', name: 'get_weather' }, 'tool_use'],
  ])('chooses a tool by %j', async (tool_choice, type) => {
    const tools = [weather, { type: 'web_search_20260318' as const, name: 'web_search' as const }];
    expect((await both({ messages: user('I like turtles'), tools, tool_choice })).content[0]).toMatchObject({
      type,
    });
  });

  test('gets JSON to a schema', async () => {
    const person = z.strictObject({ name: z.string(), age: z.int().min(18) });
    const format = { type: 'json_schema' as const, schema: z.toJSONSchema(person) };
    const answer = await both({ messages: user('Who is Ada?'), output_config: { format } });
    person.parse(JSON.parse(textOf(answer)));
  });

  test.each<[Anthropic.ThinkingConfigParam, RegExp]>([
    [{ type: 'enabled', budget_tokens: 1_024 }, /Oslo/],
    [{ type: 'adaptive' }, /Oslo/],
    [{ type: 'adaptive', display: 'omitted' }, /^$/],
  ])('sees thinking first and gives it back: %j', async (thinking, shown) => {
    const asked = { messages: user('Weather in Oslo?'), tools: [weather], thinking };
    const { content, usage } = await both(asked);
    expect(content).toMatchObject([
      { type: 'thinking', thinking: expect.stringMatching(shown), signature: expect.stringMatching(/^EqQB/) },
      { type: 'tool_use' },
    ]);
    expect(usage.output_tokens_details?.thinking_tokens).toBeGreaterThan(0);
    const id = content[1]?.type === 'tool_use' ? content[1].id : '';
    const result = user([{ type: 'tool_result', tool_use_id: id, content: '4 C' }]);
    const back = (content: Anthropic.ContentBlockParam[]) =>
      both({ ...asked, messages: [...asked.messages, { role: 'assistant', content }, ...result] });
    expect(textOf(await back(content))).toContain('4 C');
    const [thought, use] = content as [Anthropic.ThinkingBlock, Anthropic.ToolUseBlock];
    for (const changed of [
      { signature: `${thought.signature}AAAA` },
      { signature: 'EqQB' },
      { thinking: 'Else' },
    ])
      await expect(back([{ ...thought, ...changed }, use])).rejects.toThrow(
        /Invalid `signature`|cannot be modified/,
      );
    if (thinking.type !== 'enabled') expect(textOf(await back([use]))).toContain('4 C');
    else
      await expect(back([use])).rejects.toThrow(
        'Expected `thinking` or `redacted_thinking`, but found `tool_use`',
      );
  });

  test('gives redacted thinking back', async () => {
    const asked = { messages: user('Please redact'), thinking: { type: 'adaptive' as const } };
    const { content } = await both(asked);
    expect(content.map(({ type }) => type)).toEqual(['redacted_thinking', 'text']);
    const again = (content: Anthropic.ContentBlockParam[]) =>
      both({ ...asked, messages: [...asked.messages, { role: 'assistant', content }, ...user('And?')] });
    await again(content);
    await expect(again([{ type: 'redacted_thinking', data: 'EqQB' }])).rejects.toThrow('Invalid `data`');
  });

  test('reads from the cache what it asked to be kept there', async () => {
    const text = (letter: string) => letter.repeat(4 * 1_100);
    const system = (ttl: '5m' | '1h', letter: string) => [
      { type: 'text' as const, text: text(letter), cache_control: { type: 'ephemeral' as const, ttl } },
    ];
    const used = async (request: Asked) => {
      const { usage } = await client.messages.create({ ...basic, ...request });
      const { cache_read_input_tokens: read, cache_creation: written, input_tokens: input } = usage;
      return [read, written?.ephemeral_5m_input_tokens, written?.ephemeral_1h_input_tokens, input];
    };
    expect(await used({ messages: user('Hi'), system: system('5m', 'a') })).toEqual([0, 1_102, 0, 3]);
    expect(await used({ messages: user('Hi'), system: system('5m', 'a') })).toEqual([1_102, 0, 0, 3]);
    expect(await used({ messages: user('Hi'), system: system('1h', 'b') })).toEqual([0, 0, 1_102, 3]);
    const cache_control = { type: 'ephemeral' as const };
    const longer = { messages: user(text('c')), system: system('1h', 'b'), cache_control };
    expect(await used(longer)).toEqual([1_102, 1_102, 0, 0]);
    const further = [...longer.messages, { role: 'assistant' as const, content: 'Yes' }, ...user('Hi')];
    expect(await used({ ...longer, messages: further })).toEqual([
      2_204,
      expect.any(Number),
      0,
      expect.any(Number),
    ]);
    expect(await used({ messages: user('Hi'), system: text('a') })).toEqual([0, 0, 0, 1_105]);
  });

  test('counts tokens as an answer does', async () => {
    const request = { messages: user('Weather in Oslo?'), tools: [weather], system: 'Be brief.' };
    const { input_tokens } = await client.messages.countTokens({ model: 'sim-fast', ...request });
    expect(input_tokens).toBe((await both(request)).usage.input_tokens);
  });

  test.each([
    ['fault-400', Anthropic.BadRequestError],
    ['fault-429', Anthropic.RateLimitError],
    ['fault-500', Anthropic.InternalServerError],
    ['fault-529', Anthropic.InternalServerError],
    ['fault-error', Anthropic.APIError],
    ['fault-error-first', Anthropic.APIError],
    ['fault-truncate', Anthropic.AnthropicError],
    ['fault-reset', Error],
    ['fault-reset-first', Anthropic.APIConnectionError],
  ])('%s ends a stream in an error', async (model, error) => {
    const answer = client.messages.stream({ ...basic, model, messages: user('What is the gateway?') });
    await expect(answer.finalMessage()).rejects.toThrow(error);
  });

  test.each(['fault-bytes-t20', 'fault-u2028', 'fault-slow-100ms'])(
    '%s is read all the same',
    async model => {
      const answer = client.messages.stream({ ...basic, model, messages: user('What is the gateway?') });
      expect(textOf(await answer.finalMessage())).toContain('Model');
    },
  );

  test('is refused with a key that is not valid, in both places', async () => {
    const ask = (options: object) =>
      new Anthropic({ baseURL: simulator.url, maxRetries: 0, ...options }).messages.create({
        ...basic,
        messages: user('Hi'),
      });
    await expect(ask({ apiKey: 'invalid' })).rejects.toThrow(Anthropic.AuthenticationError);
    const defaultHeaders = { 'x-api-key': 'invalid' };
    await expect(ask({ apiKey: 'any', defaultHeaders })).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      requestID: expect.stringMatching(/^req_/),
    });
  });
});
