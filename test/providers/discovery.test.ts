import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type Bus, connectBus } from '@model-gateway/bus';
import { ManualClock } from '@model-gateway/clock/testing';
import { type Listening, listen } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../services/control/src/testing/eventually.ts';
import { passing } from '../../services/control/src/testing/passing-time.ts';
import { startWholeGateway, type WholeGateway } from './whole-gateway.ts';

/** The models that the upstream lists; undefined if it refuses the key. */
let listed: string[] | undefined = ['gpt-a', 'gpt-b', 'gpt-secret', 'whisper'];
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/v1/models' && listed && request.headers.authorization === 'Bearer key-of-house') {
    // Some servers compress unasked.
    response.setHeader('content-encoding', 'gzip');
    const list = { object: 'list', data: listed.map(id => ({ id, object: 'model' })) };
    response.end(gzipSync(`\ufeff${JSON.stringify(list)}`));
    return;
  }
  if (request.url === '/v1/models') {
    response.statusCode = 401;
    response.end(JSON.stringify({ error: { message: 'Incorrect API key provided: key-of-house.' } }));
    return;
  }
  const message = { role: 'assistant', content: `answer of ${request.url}` };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
}

let upstream: Listening;
let gateway: WholeGateway;
let bus: Bus;
const clock = new ManualClock(Date.now());

beforeAll(async () => {
  upstream = await listen(answer, '127.0.0.1', 0);
  const { url } = upstream;
  const gone = await listen(answer, '127.0.0.1', 0);
  await gone.close();
  const catalog = {
    providers: [
      {
        ...{ name: 'house', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        apiKey: { value: 'key-of-house' },
        models: { discover: true, include: ['gpt-*'], exclude: ['*secret'], prefix: 'house/', every: '10s' },
      },
      { name: 'down', kind: 'openai-compatible', baseUrl: `${gone.url}/v1`, models: { discover: true } },
    ],
    models: [{ name: 'house/gpt-b', targets: [{ provider: 'house', model: 'other' }], drop: ['seed'] }],
  };
  gateway = await startWholeGateway(catalog, {}, clock);
  bus = await connectBus({ url: gateway.nats.url, name: 'test' });
});

afterAll(async () => {
  await bus?.close();
  await gateway?.stop();
  await upstream?.close();
});

/** Lets the time of control pass, in which it refreshes lists that are due, until a check does not fail any more. */
const inTime = (check: () => Promise<unknown>) =>
  eventually(clock, async () => {
    // The heartbeats of the worker come in the system's time.
    bus.state.publish('gateway.v1.beat.default.live', JSON.stringify({ load: 0, capacity: 1 }));
    await clock.advance(1_000);
    await check();
  });
const refresh = () => gateway.control.api('PUT', '/catalog', { providers: [], models: [] });

test('the models that a provider lists are served, and follow its list; a refresh that fails keeps them', async () => {
  await inTime(async () => expect(await gateway.models()).toEqual(['house/gpt-b', 'house/gpt-a']));
  const messages = [{ role: 'user', content: 'Hi' }];
  expect(await gateway.ask('/v1/chat/completions', { model: 'house/gpt-a', messages })).toMatchObject({
    status: 200,
  });
  const models = await gateway.control.api('GET', '/models');
  expect(models.body).toMatchObject({
    data: [
      { name: 'house/gpt-b', managedBy: 'file', targets: [{ model: 'other' }] },
      { name: 'house/gpt-a', managedBy: 'discovery', targets: [{ provider: 'house', model: 'gpt-a' }] },
    ],
  });
  const document = await gateway.control.api('GET', '/catalog');
  expect(document.body).toMatchObject({ models: [{ name: 'house/gpt-b' }] });
  expect(await gateway.control.api('DELETE', '/models/house%2Fgpt-a')).toMatchObject({
    status: 400,
    body: { code: 'model_discovered' },
  });
  listed = undefined;
  const providerState = async () => (await gateway.control.api('GET', '/providers/house')).body;
  await inTime(async () =>
    expect(await providerState()).toMatchObject({
      discovered: { models: 4, error: expect.stringContaining('refused the gateway') },
    }),
  );
  expect(JSON.stringify(await providerState())).not.toContain('key-of-house');
  expect(await gateway.models()).toEqual(['house/gpt-b', 'house/gpt-a']);
  const { body } = await passing(clock, gateway.control.api('GET', '/diagnostics'), 10);
  expect(JSON.stringify(body)).toContain('the models of house could not be listed: The upstream refused');
  const down =
    'provider down: The upstream could not be reached; correct the host and the port in its baseUrl';
  const notices = () => gateway.worker.notices?.().toSorted();
  expect(notices()).toEqual([
    expect.stringContaining(down),
    expect.stringMatching(/^provider house: 401: .*; set a valid apiKey/),
  ]);
  listed = ['gpt-c'];
  await inTime(async () => expect(await gateway.models()).toEqual(['house/gpt-b', 'house/gpt-c']));
  expect(notices()).toEqual([expect.stringContaining(down)]);
  expect(await refresh()).toMatchObject({ status: 200 });
});

test('an entry takes the place of a discovered model, which holds again once the entry is deleted', async () => {
  const targets = [{ provider: 'house', model: 'stated' }];
  expect(await gateway.control.api('PUT', '/models/house%2Fgpt-c', { targets })).toMatchObject({
    status: 200,
  });
  const shown = async () => (await gateway.control.api('GET', '/models/house%2Fgpt-c')).body;
  expect(await shown()).toMatchObject({ managedBy: 'api', targets });
  expect(await gateway.control.api('DELETE', '/models/house%2Fgpt-c')).toMatchObject({ status: 204 });
  expect(await shown()).toMatchObject({ managedBy: 'discovery', targets: [{ model: 'gpt-c' }] });
  // A pattern that leads to the same model gives its settings, and one that leads elsewhere none.
  const pattern = { targets: [{ provider: 'house', model: '*' }], retries: 2 };
  await gateway.control.api('PUT', '/models/house%2F%2A', pattern);
  expect(await shown()).toMatchObject({ managedBy: 'discovery', retries: 2, targets: [{ model: 'gpt-c' }] });
});
