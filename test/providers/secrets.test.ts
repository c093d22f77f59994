import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus, watchBucket } from '@model-gateway/bus';
import { type Listening, listen } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startWholeGateway, type WholeGateway } from './whole-gateway.ts';

/** Part of every secret of this test. */
const mark = 'marked-secret-7f3a';
const secret = (place: string) => `${mark}-${place}`;

/** Refuses every key but that of the second place, and repeats in its error what it was sent. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json');
  const { authorization = '' } = request.headers;
  if (authorization !== `Bearer ${secret('second')}`) {
    response.statusCode = 401;
    const message = `Incorrect API key provided: ${authorization} with ${request.headers['x-own']} and ${request.headers['x-env']}.`;
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
    return;
  }
  const message = { role: 'assistant', content: 'Hi.' };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
}

let upstream: Listening;
/** Takes no credential. */
let proxy: Listening;
let gateway: WholeGateway;
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));

beforeAll(async () => {
  vi.stubEnv('MARKED_SECRET', secret('env'));
  writeFileSync(join(folder, 'ca.pem'), secret('file'));
  upstream = await listen(answer, '127.0.0.1', 0);
  proxy = await listen((_request, response) => response.end(), '127.0.0.1', 0);
  const kind = 'openai-compatible';
  const baseUrl = `${upstream.url}/v1`;
  const headers = { 'x-own': secret('header'), 'x-env': { env: 'MARKED_SECRET' } };
  const providers = [
    { ...{ name: 'one', kind, baseUrl, headers, models: 'discover' }, apiKey: { value: secret('only') } },
    {
      ...{ name: 'several', kind, baseUrl, headers },
      apiKeys: [
        { key: { value: secret('first') }, weight: 1_000, name: 'first' },
        { key: { value: secret('second') }, weight: 0.000001 },
      ],
    },
    {
      ...{ name: 'proxied', kind, baseUrl: 'https://far.example/v1' },
      proxy: { url: proxy.url, username: 'user', password: { value: secret('proxy') } },
    },
    {
      ...{ name: 'certified', kind, baseUrl: 'https://127.0.0.1:1/v1' },
      tls: { ca: { file: join(folder, 'ca.pem') } },
    },
  ];
  const models = providers.map(({ name }) => ({ name, targets: [{ provider: name, model: 'm' }] }));
  gateway = await startWholeGateway({ providers, models });
});

afterAll(async () => {
  await gateway?.stop();
  await upstream?.close();
  await proxy?.close();
  rmSync(folder, { recursive: true, force: true });
  vi.unstubAllEnvs();
});

const chat = (model: string) =>
  gateway.ask('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });

/** Everything that is stored in KV. */
async function buckets(): Promise<string> {
  const bus = await connectBus({ url: gateway.nats.url, name: 'test' });
  const texts: string[] = [];
  for (const name of ['access', 'catalog', 'health', 'limits'] as const) {
    const put = (key: string, value: unknown) => void texts.push(key, JSON.stringify(value));
    (await watchBucket(bus, name, { put, remove: () => {} })).stop();
  }
  await bus.close();
  return texts.join('\n');
}

/** The files below a folder that hold the mark. */
function filesWithMark(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).filter(name => {
    const file = join(path, name);
    return statSync(file).isFile() && readFileSync(file).includes(mark);
  });
}

test('a refused key rests in the fleet, and the next one answers at once', async () => {
  expect(await chat('several')).toMatchObject({ status: 200 });
  await expect
    .poll(async () => (await gateway.control.api('GET', '/health')).body)
    .toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ provider: 'several', key: 'first' })]),
    });
  expect(await chat('several')).toMatchObject({ status: 200 });
});

test('what is wrong is a sentence of the worker, and no secret is anywhere', async () => {
  const answers = [await chat('one'), await chat('proxied'), await chat('certified')];
  expect(answers.map(({ status }) => status).every(status => status >= 400)).toBe(true);
  const notices = gateway.worker.notices?.() ?? [];
  expect(notices.find(notice => notice.startsWith('provider one: 401'))).toContain('set a valid apiKey');
  expect(gateway.log()).toContain('provider one: 401');
  const state = async () => JSON.stringify((await gateway.control.api('GET', '/providers/one')).body);
  await expect.poll(state, { timeout: 25_000 }).toContain('refused the gateway');
  const { api } = gateway.control;
  const [providers, document, health, doctor, audit] = await Promise.all(
    ['/providers', '/catalog', '/health', '/diagnostics', '/audit'].map(path => api('GET', path)),
  );
  const change = {
    providers: [{ name: 'new', kind: 'openai', apiKeys: [{ key: { value: secret('new') } }] }],
  };
  const dry = await api('PUT', '/catalog?dryRun=true', { ...change, models: [] });
  expect(dry.status).toBe(200);
  const bad = await api('PUT', '/providers/bad', {
    kind: 'openai',
    apiKeys: [{ key: { value: secret('bad') }, name: '?' }],
  });
  expect(bad.status).toBe(400);
  const shown = { providers, document, health, doctor, audit, dry, bad, answers, notices };
  for (const [place, text] of Object.entries({
    ...Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, JSON.stringify(value)])),
    log: gateway.log(),
    metrics: (await gateway.metrics()) + (await gateway.control.metrics()),
    buckets: await buckets(),
  }))
    expect(text.includes(mark), place).toBe(false);
  // gateway.yaml is where the secrets are stated.
  expect(filesWithMark(gateway.data).filter(name => name !== 'gateway.yaml')).toEqual([]);
});
