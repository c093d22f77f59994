import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const message = { role: 'assistant', content: 'Hello' };
const chat = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 0,
  model: 'whole',
  choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
  usage,
};
const messages = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'whole',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};

/** Never streams, even on request. */
const upstream = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.url?.endsWith('/messages') ? messages : chat));
  });
});
let stack: Stack;

beforeAll(async () => {
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack = await startStack({
    described: true,
    catalog: {
      providers: [
        { name: 'chat', kind: 'openai-compatible', baseUrl },
        { name: 'messages', kind: 'anthropic', baseUrl },
      ],
      models: ['chat', 'messages'].map(provider => ({
        name: provider,
        targets: [{ provider, model: 'whole' }],
      })),
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  upstream.close();
});

const ask = { messages: [{ role: 'user' as const, content: 'Hi' }] };

test.each(['chat', 'messages'])('a chat stream is made from a non-streamed response of %s', async model => {
  const client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.token, maxRetries: 0 });
  const options = { stream_options: { include_usage: true } };
  const final = await client.chat.completions.stream({ ...ask, model, ...options }).finalChatCompletion();
  expect(final.choices).toMatchObject([{ message, finish_reason: 'stop' }]);
  expect(final.usage).toMatchObject(usage);
});

test.each(['chat', 'messages'])(
  'a messages stream is made from a non-streamed response of %s',
  async model => {
    const client = new Anthropic({ baseURL: stack.url, apiKey: stack.token, maxRetries: 0 });
    const final = await client.messages.stream({ ...ask, model, max_tokens: 10 }).finalMessage();
    expect(final).toMatchObject({
      content: messages.content,
      stop_reason: 'end_turn',
      usage: messages.usage,
    });
  },
);
