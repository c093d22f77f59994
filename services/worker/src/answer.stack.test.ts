import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ServedCall } from '@model-gateway/bus';
import type { ErrorEvent, GenerateEvent, UsageRecord } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { Catalog, PoolSealer, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { createLog } from '@model-gateway/service';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { WholeAnswers } from './exchange.ts';
import { answer } from './serve-route.ts';
import { closed, listening } from './testing/connect-proxy.ts';
import { Upstreams } from './upstreams.ts';

type Reply = (response: ServerResponse) => void;
let replies: Reply[];
/** Values of `stream` in the bodies that the upstreams received. */
const streams: unknown[] = [];
const server = createServer(async (request, response) => {
  streams.push(((await json(request)) as { stream?: boolean }).stream);
  replies.shift()?.(response);
});
const baseUrl = `http://127.0.0.1:${await listening(server)}`;
const dispatcher = new Agent();
afterAll(async () => {
  await dispatcher.destroy();
  closed(server);
});

const clock = new ManualClock();
const catalog = new Catalog(clock);
for (const [name, kind] of [
  ['c', 'openai-compatible'],
  ['m', 'anthropic'],
])
  catalog.put(recordKey('provider', name as string), { name, kind, baseUrl, headers: {}, version: 1 });
const targets = [
  { provider: 'c', model: 'up' },
  { provider: 'm', model: 'claude-sonnet-4-5' },
];
const wholeAnswers = new WholeAnswers(clock);
const timeouts = { firstToken: 60_000, idle: 60_000, total: 120_000 };
catalog.put(recordKey('model', 'x'), {
  name: 'x',
  targets,
  timeouts,
  drop: [],
  limits: {},
  position: 0,
  version: 1,
});

/** Answers a call; each target sends the next of the replies. */
async function ask(...sequence: Reply[]) {
  replies = sequence;
  const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
  const events: GenerateEvent[] = [];
  const records: UsageRecord[] = [];
  const envelope = testEnvelope({ format: 'messages', model: 'x', stream: false, targets });
  const call = {
    envelope,
    body: Buffer.from(JSON.stringify(request)),
    signal: new AbortController().signal,
    drained: Promise.resolve(),
    send: (sent: readonly GenerateEvent[]) => events.push(...sent) > 0,
    announce: () => '',
  };
  await answer(call as unknown as ServedCall, {
    clock,
    catalog,
    upstreams: new Upstreams(catalog, new PoolSealer(new Uint8Array(32)), { clock }),
    dispatcher,
    log: createLog('test', 'silent'),
    usage: { add: record => void records.push(record) },
    wholeAnswers,
  });
  return { events, records, last: events.at(-1) as ErrorEvent };
}

const fail =
  (status: number, headers = {}, body = '{}', dated = true): Reply =>
  response => {
    response.sendDate = dated;
    response.writeHead(status, headers).end(body);
  };

test.each<[string, Reply[], number | undefined]>([
  [
    'both send one, the second the shorter',
    [fail(429, { 'retry-after': '60' }), fail(529, { 'retry-after': '3' })],
    3_000,
  ],
  ['only the first sends one', [fail(429, { 'retry-after': '3' }), fail(500)], 3_000],
  ['neither sends one', [fail(429), fail(500)], undefined],
  [
    'the second finds the request invalid',
    [fail(429, { 'retry-after': '3' }), fail(400, {}, '{"error":{"message":"No"}}')],
    undefined,
  ],
])('the client gets the shortest retry-after: %s', async (_, sequence, ms) => {
  const { last } = await ask(...sequence);
  expect(last.type).toBe('error');
  expect(last.retryAfterMs).toBe(ms);
});

test('a retry-after date is relative to now if the response has no date', async () => {
  const at = new Date(clock.now() + 60_000).toUTCString();
  const { last } = await ask(fail(429), fail(429, { 'retry-after': at }, '{}', false));
  expect(last.retryAfterMs).toBe(60_000);
});

test('a whole answer that is cut off is retried at the next target', async () => {
  const chunk = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const message = {
    id: 'msg_1',
    type: 'message',
    model: 'm',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const { events, records } = await ask(
    response =>
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(chunk({ content: 'Hel' })),
    fail(200, { 'content-type': 'application/json' }, JSON.stringify(message)),
  );
  const texts = events.flatMap(event => (event.type === 'part-delta' ? [event.text] : []));
  expect(texts).toEqual(['Hello']);
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  expect(records).toMatchObject([
    { outcome: 'failed', charged: false },
    { outcome: 'answered', charged: true },
  ]);
});

test("an upstream's error about a translated request has the path of the canonical field", async () => {
  const message = "This model's maximum context length is 10 tokens.";
  const error = { message, code: 'context_length_exceeded', param: 'messages' };
  const { last } = await ask(fail(400, {}, JSON.stringify({ error })));
  expect(last).toMatchObject({
    kind: 'invalid-request',
    code: 'context_length_exceeded',
    path: 'messages',
    message,
  });
});

test('a model that refuses to stream is asked for a whole answer, and so are later requests', async () => {
  const message = 'Your organization must be verified to stream this model.';
  const error = { message, type: 'invalid_request_error', param: 'stream', code: 'unsupported_value' };
  const answer = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  };
  const whole = fail(200, { 'content-type': 'application/json' }, JSON.stringify(answer));
  streams.length = 0;
  const { events, records } = await ask(fail(400, {}, JSON.stringify({ error })), whole);
  expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  expect(records).toMatchObject([
    { provider: 'c', outcome: 'failed', charged: false },
    { provider: 'c', outcome: 'answered', charged: true },
  ]);
  expect((await ask(whole)).events.at(-1)).toMatchObject({ type: 'finish' });
  expect(streams).toEqual([true, undefined, undefined]);
});
