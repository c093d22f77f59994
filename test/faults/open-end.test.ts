import { afterAll, beforeAll, expect, test } from 'vitest';
import { clients } from '../conformance/grid/clients/index.ts';
import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { chunk, type ScriptedUpstream, startStream, startUpstream } from './upstream.ts';

const named = (...events: object[]) =>
  events
    .map(event => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] };

/** A response of each format up to its finish reason, without the end marker that follows. */
const answers: Record<Format, string> = {
  chat: chunk('Hi') + chunk('', 'stop'),
  messages: named(
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 0 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  ),
  'generate-content': `data: ${JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  })}\n\n`,
  responses: named(
    { type: 'response.output_item.done', sequence_number: 0, output_index: 0, item },
    {
      type: 'response.completed',
      sequence_number: 1,
      response: { id: 'resp_1', object: 'response', model: 'm', status: 'completed', output: [item] },
    },
  ),
};

/** The fields that the path of a format requires. */
const paths: Record<Format, string> = {
  chat: '/chat/completions',
  messages: '/messages',
  'generate-content': ':streamGenerateContent',
  responses: '/responses',
};

let upstream: ScriptedUpstream;
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream((response, { url = '' }) => {
    const format = formats.find(name => url.includes(paths[name])) ?? 'chat';
    startStream(response);
    response.write(answers[format]);
  });
  const models = formats.map(name => ({ name, targets: [{ provider: name, model: 'm' }] }));
  stack = await startStack({ catalog: { providers: providersAt(upstream.url), models } });
});
afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

const ask = { turns: [{ role: 'user' as const, content: [{ text: 'Hi' }] }], maxTokens: 50 };
const ways = formats.flatMap(client => formats.map(format => [client, format] as const));

test.concurrent.each(ways)(
  'a client of %s does not wait for an upstream of %s that keeps a finished response open (pitfall 22)',
  { timeout: 40_000 },
  async (client, format) => {
    const { path, body } = clients[client].request(ask, format, true);
    const began = performance.now();
    const answer = await fetch(stack.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stack.token}`,
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    expect(text).toContain('"Hi"');
    expect(text).not.toMatch(/"error":\{/);
    // Usage or more text may follow what ends without either.
    expect(performance.now() - began).toBeLessThan(20_000);
  },
);
