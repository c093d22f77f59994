import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayError, GenerateEvent, GenerateRequest } from '@model-gateway/canonical';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { anthropicMessages } from './dialects/anthropic-messages/dialect.ts';

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const start = event({ type: 'message_start', message: { id: 'm', model: 'm', usage: {} } });
const text =
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } });
const ping = event({ type: 'ping' });
const reason = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} });
const stop = event({ type: 'message_stop' });
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

let asked = 0;
let respond: (response: ServerResponse) => void | Promise<void>;
const server = createServer((request, response) => {
  asked++;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void respond(response);
  });
});
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
const dispatcher = new Agent();
afterAll(async () => {
  await dispatcher.destroy();
  server.closeAllConnections();
  server.close();
});

interface Asked {
  events: GenerateEvent[];
  error: GatewayError | undefined;
}

const hello: GenerateRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };

/** Asks the server on behalf of a client of another format. */
async function ask(answer: typeof respond, request = hello, timeouts = {}): Promise<Asked> {
  respond = answer;
  const events: GenerateEvent[] = [];
  const envelope = {
    requestId: 'r',
    operation: 'generate',
    format: 'chat',
    model: 'm',
    stream: false,
    textLength: 0,
    targets: [],
    token: { id: 't', project: 'p' },
    headers: {},
  } as const;
  const call = {
    envelope: { ...envelope, targets: [] },
    signal: new AbortController().signal,
    drained: Promise.resolve(),
    send: (sent: readonly GenerateEvent[]) => events.push(...sent) > 0,
  };
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const error = await attempt(dispatcher, {
    call,
    upstream: { provider: 'p', dialect: anthropicMessages, origin, path: '', headers: {}, original: true },
    input: { envelope: call.envelope, request, model: 'm', drop: [], limits: {} },
    timeouts: { firstToken: 5_000, idle: 5_000, total: 10_000, ...timeouts },
  });
  return { events, error };
}

test('an answer that lacks only its end mark is not waited for (pitfall 22)', async () => {
  const began = Date.now();
  const { events } = await ask(response => void response.write(start + reason));
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  expect(Date.now() - began).toBeLessThan(4_000);
});

test('nor is it lost with its connection', async () => {
  const { events } = await ask(async response => {
    response.write(start + reason);
    await pause(50);
    response.destroy();
  });
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('an answer that failed before any of it was shown may come from another upstream', async () => {
  const failure = event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
  const { events, error } = await ask(async response => {
    response.write(start);
    await pause(50);
    response.end(failure);
  });
  expect(error).toMatchObject({ kind: 'overloaded' });
  expect(events).toEqual([]);
});

test('an answer that breaks off before its end is an error', async () => {
  const { events } = await ask(async response => {
    response.write(start + text);
    await pause(50);
    response.destroy();
  });
  expect(events.map(({ type }) => type)).toEqual(['start', 'part-start', 'part-delta', 'error']);
});

test('a translated answer keeps to the timers of a stream, and pings show that it goes on', async () => {
  const slow = async (response: ServerResponse) => {
    response.write(start + text);
    for (let i = 0; i < 8; i++) {
      await pause(50);
      response.write(ping);
    }
    response.end(reason + stop);
  };
  const { events } = await ask(slow, hello, { firstToken: 200, idle: 200 });
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  const silent = await ask(response => void response.write(start + text), hello, { idle: 200 });
  expect(silent.events.at(-1)).toMatchObject({ type: 'error', kind: 'timeout' });
});

test('a request that cannot be said is refused without being sent', async () => {
  const before = asked;
  const { error, events } = await ask(() => {}, { ...hello, n: 2 });
  expect(error).toMatchObject({ kind: 'invalid-request', details: { param: 'n' } });
  expect(events).toEqual([]);
  expect(asked).toBe(before);
});
