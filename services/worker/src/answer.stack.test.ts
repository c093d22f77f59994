import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ServedCall } from '@model-gateway/bus';
import type { ErrorEvent, GenerateEvent, UsageRecord } from '@model-gateway/canonical';
import { testEnvelope, testRoute } from '@model-gateway/canonical/testing/envelope';
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
catalog.put(recordKey('provider', 'c'), {
  ...{ name: 'c', kind: 'openai-compatible', baseUrl, headers: {}, version: 1 },
});
const wholeAnswers = new WholeAnswers(clock);
const timeouts = { firstToken: 60_000, idle: 60_000, total: 120_000 };
const route = testRoute({ provider: 'c', model: 'up', body: 'canonical', timeouts });

/** Answers a call; the upstream sends one of the replies after another. */
async function ask(...sequence: Reply[]) {
  replies = sequence;
  const request = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] };
  const events: GenerateEvent[] = [];
  const records: UsageRecord[] = [];
  const envelope = testEnvelope({ format: 'messages', model: 'x', stream: false, route });
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

test('a retry-after date is relative to now if the response has no date', async () => {
  const at = new Date(clock.now() + 60_000).toUTCString();
  const { last } = await ask(fail(429, { 'retry-after': at }, '{}', false));
  expect(last.retryAfterMs).toBe(60_000);
});

test('a whole answer that is cut off shows nothing, so that another route can answer', async () => {
  const chunk = { choices: [{ index: 0, delta: { content: 'Hel' } }] };
  const { events, records } = await ask(response =>
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(chunk)}\n\n`),
  );
  expect(events).toMatchObject([{ type: 'error' }]);
  expect(records).toMatchObject([{ outcome: 'failed', charged: false }]);
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
