import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Listening, listen } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWholeGateway, type WholeGateway } from './whole-gateway.ts';

/** The models that the upstream lists; undefined if it refuses the key. */
let listed: string[] | undefined = ['gpt-a', 'gpt-b', 'gpt-secret', 'whisper'];
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  if (request.url === '/v1/models' && listed && request.headers.authorization === 'Bearer key-of-house') {
    response.end(JSON.stringify({ object: 'list', data: listed.map(id => ({ id, object: 'model' })) }));
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

beforeAll(async () => {
  upstream = await listen(answer, '127.0.0.1', 0);
  const { url } = upstream;
  const gone = await listen(answer, '127.0.0.1', 0);
  await gone.close();
  gateway = await startWholeGateway({
    providers: [
      {
        ...{ name: 'house', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        apiKey: { value: 'key-of-house' },
        models: { discover: true, include: ['gpt-*'], exclude: ['*secret'], prefix: 'house/', every: '10s' },
      },
      { name: 'down', kind: 'openai-compatible', baseUrl: `${gone.url}/v1`, models: { discover: true } },
    ],
    models: [{ name: 'house/gpt-b', targets: [{ provider: 'house', model: 'other' }], drop: ['seed'] }],
  });
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.close();
});

const patient = { timeout: 25_000, interval: 100 };
const refresh = () => gateway.control.api('PUT', '/catalog', { providers: [], models: [] });

test('the models that a provider lists are served, and follow its list; a refresh that fails keeps them', async () => {
  await expect.poll(() => gateway.models(), patient).toEqual(['house/gpt-b', 'house/gpt-a']);
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
  await expect
    .poll(providerState, patient)
    .toMatchObject({ discovered: { models: 4, error: expect.stringContaining('refused the gateway') } });
  expect(JSON.stringify(await providerState())).not.toContain('key-of-house');
  expect(await gateway.models()).toEqual(['house/gpt-b', 'house/gpt-a']);
  const { body } = await gateway.control.api('GET', '/diagnostics');
  expect(JSON.stringify(body)).toContain('the models of house could not be listed: The upstream refused');
  const down =
    'provider down: The upstream could not be reached; correct the host and the port in its baseUrl';
  const notices = () => gateway.worker.notices?.().toSorted();
  expect(notices()).toEqual([
    expect.stringContaining(down),
    expect.stringMatching(/^provider house: 401: .*; set a valid apiKey/),
  ]);
  listed = ['gpt-c'];
  await expect.poll(() => gateway.models(), patient).toEqual(['house/gpt-b', 'house/gpt-c']);
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
