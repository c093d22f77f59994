import Anthropic from '@anthropic-ai/sdk';
import type { Message, MessageCreateParamsNonStreaming, Tool } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

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
type ParsedRequest = Omit<MessageCreateParamsNonStreaming, 'model' | 'max_tokens'> & { max_tokens?: number };

/** Sends a request whole and streamed, and expects the same answer. */
async function both(request: ParsedRequest): Promise<Message> {
  const whole = await client.messages.create({ ...basic, ...request });
  const folded = await client.messages.stream({ ...basic, ...request }).finalMessage();
  expect({ ...plain(folded), id: '' }).toEqual({ ...plain(whole), id: '' });
  return whole;
}

/** The message without the fields that the client library adds. */
function plain(message: Message): Message {
  return JSON.parse(JSON.stringify(message, (key, value) => (/^(_|parsed)/.test(key) ? undefined : value)));
}

test('redacted thinking is accepted with unchanged data, and other data is rejected', async () => {
  const parsed = { messages: user('Please redact'), thinking: { type: 'adaptive' as const } };
  const { content } = await both(parsed);
  expect(content.map(({ type }) => type)).toEqual(['redacted_thinking', 'text']);
  const again = (content: Anthropic.ContentBlockParam[]) =>
    both({ ...parsed, messages: [...parsed.messages, { role: 'assistant', content }, ...user('And?')] });
  await again(content);
  await expect(again([{ type: 'redacted_thinking', data: 'EqQB' }])).rejects.toThrow('Invalid `data`');
});

test('blocks with cache_control are written to the cache and read from it', async () => {
  const text = (letter: string) => letter.repeat(4 * 1_100);
  const system = (ttl: '5m' | '1h', letter: string) => [
    { type: 'text' as const, text: text(letter), cache_control: { type: 'ephemeral' as const, ttl } },
  ];
  const used = async (request: ParsedRequest) => {
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

test('count_tokens and an answer report the same input tokens', async () => {
  const request = { messages: user('Weather in Oslo?'), tools: [weather], system: 'Be brief.' };
  const { input_tokens } = await client.messages.countTokens({ model: 'sim-fast', ...request });
  expect(input_tokens).toBe((await both(request)).usage.input_tokens);
});
