import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

/*
 * Background responses whose upstream closes the connection mid-stream, and generates new ids in the next attempt.
 */

let stack: Stack;
let asked = 0;
/** Breaks the connection of the attempt that must break. */
let cut: (() => void) | undefined;
/** The text of each attempt, and whether its connection breaks. */
let attempts: { name: string; words: string[]; breaks: boolean }[] = [];

const server = createServer(async (request, response) => {
  await request.toArray();
  const attempt = attempts[Math.min(asked++, attempts.length - 1)];
  if (attempt) tell(response, attempt);
});

function tell(response: ServerResponse, { name, words, breaks }: (typeof attempts)[number]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let number = 0;
  const send = (type: string, rest: object) =>
    response.write(
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...rest })}\n\n`,
    );
  const head = { id: `resp_${name}`, object: 'response', model: 'm', store: false };
  const begun = { ...head, status: 'in_progress', output: [] };
  const id = `msg_${name}`;
  const place = { item_id: id, output_index: 0, content_index: 0 };
  const text = words.join('');
  const part = { type: 'output_text', text, annotations: [] };
  const item = { type: 'message', id, role: 'assistant', status: 'completed', content: [part] };
  send('response.created', { response: begun });
  send('response.in_progress', { response: begun });
  send('response.output_item.added', {
    output_index: 0,
    item: { ...item, status: 'in_progress', content: [] },
  });
  send('response.content_part.added', { ...place, part: { ...part, text: '' } });
  for (const delta of words) send('response.output_text.delta', { ...place, delta, obfuscation: name });
  if (breaks) {
    cut = () => response.destroy();
    return;
  }
  send('response.output_text.done', { ...place, text });
  send('response.content_part.done', { ...place, part });
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: { ...head, status: 'completed', output: [item], usage: null } });
  response.end();
}

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'own', kind: 'openai-compatible', api: 'responses', baseUrl: `http://127.0.0.1:${port}` },
      ],
      models: [{ name: 'm', targets: [{ provider: 'own', model: 'm' }] }],
    },
  });
});
afterAll(async () => {
  await stack.stop();
  server.close();
});

const headers = () => ({ authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' });

/** Reads a background response. The connection that must break does so once the client has its text. */
async function stream(): Promise<string> {
  const response = await fetch(`${stack.url}/v1/responses`, {
    method: 'POST',
    headers: headers(),
    body: JSON.stringify({ model: 'm', input: 'Hi', background: true, stream: true }),
  });
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (said(text) === attempts[0]?.words.join('')) cut?.();
  }
  return text;
}

async function retrieve(text: string): Promise<Record<string, unknown>> {
  const id = /"id":"(resp_\w+)"/.exec(text)?.[1];
  const response = await fetch(`${stack.url}/v1/responses/${id}`, { headers: headers() });
  return (await response.json()) as Record<string, unknown>;
}

const numbers = (text: string) => [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, n]) => Number(n));
const said = (text: string) =>
  [...text.matchAll(/^data: (\{"type":"response\.output_text\.delta".*)$/gm)]
    .map(([, data]) => JSON.parse(data ?? '{}').delta)
    .join('');

test('a retried response continues where it was cut off, under the ids that the client knows', async () => {
  asked = 0;
  attempts = [
    { name: 'first', words: ['One ', 'two '], breaks: true },
    { name: 'second', words: ['One two th', 'ree'], breaks: false },
  ];
  const text = await stream();
  expect(asked).toBe(2);
  expect(said(text)).toBe('One two three');
  expect(numbers(text)).toEqual(numbers(text).map((_, i) => i));
  expect(text).toContain('event: response.completed');
  expect(text).not.toContain('msg_second');
  const kept = await retrieve(text);
  expect(kept).toMatchObject({ status: 'completed', output: [{ id: 'msg_first' }] });
  expect(text).toContain(JSON.stringify(kept));
});

test('a retried response with different text fails with the reason', async () => {
  asked = 0;
  attempts = [
    { name: 'first', words: ['One ', 'two '], breaks: true },
    { name: 'second', words: ['Uno ', 'due'], breaks: false },
  ];
  const text = await stream();
  expect(said(text)).toBe('One two ');
  expect(numbers(text)).toEqual(numbers(text).map((_, i) => i));
  expect(text).toMatch(/event: error[\s\S]*event: response\.failed/);
  expect(text).not.toContain('response.completed');
  const kept = await retrieve(text);
  expect(kept).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('differed from the events that were already sent') },
  });
});
