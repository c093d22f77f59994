import { CohereClientV2 } from 'cohere-ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ask, Turn } from '../conformance/grid/ask.ts';
import { send } from '../conformance/grid/clients/send.ts';
import { startUpstream } from '../faults/upstream.ts';
import { formats } from '../stack/formats.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
let upstream: Awaited<ReturnType<typeof startUpstream>>;

beforeAll(async () => {
  // It begins an answer, and never ends it.
  upstream = await startUpstream(response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta = { message: { content: { text: 'Hi' } } };
    response.write(`data: ${JSON.stringify({ type: 'content-delta', index: 0, delta })}\n\n`);
  });
  const apiKey = { value: 'upstream-key' };
  gateway = await startSimulated(url => ({
    providers: [
      { name: 'cohere', kind: 'cohere', baseUrl: url, apiKey },
      { name: 'slow', kind: 'cohere', baseUrl: upstream.url, apiKey },
    ],
    models: [
      { name: 'cohere/*', targets: [{ provider: 'cohere', model: '*' }] },
      { name: 'slow', targets: [{ provider: 'slow', model: 'm' }] },
    ],
  }));
});
afterAll(async () => {
  await gateway?.stop();
  upstream?.close();
});

const user = (text: string): Turn => ({ role: 'user', content: [{ text }] });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ name: 'weather', description: 'The weather in a city', parameters }];
const sea: Ask = { turns: [user('Write about the sea.')], maxTokens: 1000 };

describe.each(formats.flatMap(format => [false, true].map(stream => ({ format, stream }))))(
  'a client of $format, streamed: $stream',
  ({ format, stream }) => {
    const ask = (request: Ask, model = 'sim-fast') => {
      const { url, token } = gateway.stack;
      return send({ url, token, format, model: `cohere/${model}`, stream }, request);
    };

    test('it gets text with its usage', async () => {
      expect(await ask({ ...sea, system: 'Be brief.' })).toMatchObject({
        text: expect.stringContaining('sea'),
        finish: 'stop',
        usage: { input: expect.any(Number), output: expect.any(Number) },
      });
      const { path, body } = gateway.simulator.requests.at(-1) ?? {};
      expect(path).toBe('/v2/chat');
      expect(JSON.parse(body ?? '').messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
    });

    test('it gets calls, and an answer to their results', async () => {
      const question = user('What is the weather in Oslo?');
      const { calls, finish } = await ask({ turns: [question], tools, maxTokens: 1000 });
      expect([calls, finish]).toMatchObject([
        [{ name: 'weather', args: { city: expect.any(String) } }],
        'calls',
      ]);
      const called: Turn = { role: 'assistant', calls: [{ name: 'weather', args: { city: 'Oslo' } }] };
      const result: Turn = { role: 'tool', results: [{ call: 0, text: 'Sunny, 21 degrees' }] };
      const answer = await ask({ turns: [question, called, result], tools, maxTokens: 1000 });
      expect(answer).toMatchObject({ text: expect.stringContaining('Sunny'), finish: 'stop' });
    });

    test('the end by the limit, and an error of the upstream, are told', async () => {
      expect(await ask({ ...sea, maxTokens: 5 })).toMatchObject({ finish: 'length' });
      const { status } = await ask(sea, 'fault-503');
      expect(status).toBe(format === 'messages' ? 529 : 503);
    });
  },
);

test('a client that leaves ends the request at the upstream', async () => {
  const { url, token } = gateway.stack;
  const stop = new AbortController();
  const left = upstream.left();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'slow', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  stop.abort();
  await left;
});

describe("the vendor's SDK reads the simulator", () => {
  const tool = { type: 'function' as const, function: { name: 'weather', parameters } };
  const request = {
    model: 'sim-fast',
    messages: [{ role: 'user' as const, content: 'What is the weather in Oslo?' }],
    tools: [tool],
  };

  test('a whole answer and a stream have the same call', async () => {
    const client = new CohereClientV2({ token: 'k', environment: gateway.simulator.url });
    const { message, finishReason } = await client.chat(request);
    expect([finishReason, message.toolCalls?.[0]?.function?.name]).toEqual(['TOOL_CALL', 'weather']);
    const types = new Set<string>();
    let json = '';
    for await (const event of await client.chatStream(request)) {
      types.add(event.type);
      if (event.type === 'tool-call-delta')
        json += event.delta?.message?.toolCalls?.function?.arguments ?? '';
      if (event.type === 'message-end') expect(event.delta?.finishReason).toBe('TOOL_CALL');
    }
    expect(JSON.parse(json)).toEqual(JSON.parse(message.toolCalls?.[0]?.function?.arguments ?? ''));
    expect([...types]).toEqual(
      expect.arrayContaining(['message-start', 'tool-call-start', 'tool-call-end', 'message-end']),
    );
  });
});
