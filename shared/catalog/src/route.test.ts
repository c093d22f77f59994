import { ManualClock } from '@model-gateway/clock/testing';
import { expect, test } from 'vitest';
import { Catalog } from './catalog.ts';
import { type ProviderRecord, recordKey } from './record.ts';
import { routeTo, targetsOf, timeoutsFor, urlOf } from './route.ts';
import { modelSchema } from './schema.ts';

const record = (version: number, fields: Partial<ProviderRecord> = {}): ProviderRecord => ({
  name: 'p',
  kind: 'openai',
  headers: {},
  pool: 'default',
  version,
  ...fields,
});
const model = { timeouts: { total: 9 }, drop: ['seed'], limits: { maxOutput: 5 } };
const target = { provider: 'p', model: 'up' };

test('the base URL of a kind holds the options of a provider, and that of a provider is as it is', () => {
  const options = { region: 'eu-west-1' };
  expect(urlOf({ kind: 'bedrock', options })).toBe('https://bedrock-runtime.eu-west-1.amazonaws.com');
  expect(urlOf({ kind: 'bedrock', options, baseUrl: 'https://vpce.example' })).toBe('https://vpce.example');
});

test('a model of Anthropic on Bedrock is asked in its own format, any other by Converse', () => {
  const aws = record(1, { kind: 'bedrock', options: { region: 'eu-west-1' } });
  const routed = (name: string, operation: 'generate' | 'count-tokens' = 'generate') => {
    const route = routeTo(aws, { provider: 'p', model: name }, model, { operation, format: 'messages' });
    return [route?.format, route?.body];
  };
  expect(routed('eu.anthropic.claude-opus-4-6-v1')).toEqual(['messages', 'verbatim']);
  expect(routed('eu.amazon.nova-pro-v1:0')).toEqual(['converse', 'canonical']);
  // Not a format that counts, so the gateway estimates.
  expect(routed('eu.anthropic.claude-opus-4-6-v1', 'count-tokens')).toEqual(['converse', 'canonical']);
});

test('a route says in which format and form a request is sent, and by which credential', () => {
  const chat = { operation: 'generate', format: 'chat' } as const;
  expect(routeTo(record(3, { apiKey: { env: 'KEY' }, pool: 'far' }), target, model, chat)).toEqual({
    provider: 'p',
    model: 'up',
    pool: 'far',
    key: 'default',
    format: 'chat',
    body: 'verbatim',
    version: 3,
    timeouts: { firstToken: 60_000, idle: 60_000, total: 9 },
    drop: ['seed'],
    limits: { maxOutput: 5 },
  });
  expect(routeTo(record(3), target, model, chat)).not.toHaveProperty('key');
  expect(routeTo(record(1), target, model, { ...chat, format: 'messages' })).toMatchObject({
    format: 'chat',
    body: 'canonical',
  });
});

test('a service tier is left out of what is translated for a server that is only compatible', () => {
  const routed = (kind: string, format: 'chat' | 'messages') =>
    routeTo(record(1, { kind, baseUrl: 'http://127.0.0.1:1/v1' }), target, model, {
      operation: 'generate',
      format,
    });
  expect(routed('openai-compatible', 'messages')).toMatchObject({
    body: 'canonical',
    drop: ['seed', 'service_tier'],
  });
  expect(routed('openai', 'messages')).toMatchObject({ body: 'canonical', drop: ['seed'] });
  expect(routed('openai-compatible', 'chat')).toMatchObject({ body: 'verbatim', drop: ['seed'] });
});

test('more inputs than the provider takes at once are sent as a canonical request', () => {
  const embed = { operation: 'embed', format: 'embeddings' } as const;
  expect(routeTo(record(1), target, model, { ...embed, inputs: 2_048 })?.body).toBe('verbatim');
  expect(routeTo(record(1), target, model, { ...embed, inputs: 2_049 })?.body).toBe('canonical');
});

test('a form stays a form for a provider of its format', () => {
  const form = { operation: 'transcribe', format: 'transcriptions', form: true } as const;
  expect(routeTo(record(1), target, model, form)?.body).toBe('form');
});

test('there is no route to a provider that does not support the operation', () => {
  const rerank = { operation: 'rerank', format: 'rerank' } as const;
  expect(routeTo(record(1), target, model, rerank)).toBeUndefined();
});

test('a process that is behind waits for the version of a provider that it is told', async () => {
  const catalog = new Catalog(new ManualClock());
  const key = recordKey('provider', 'p');
  const found = catalog.providerOf('p', 2, 60_000);
  catalog.put(key, record(1));
  catalog.put(key, record(2));
  expect(await found).toMatchObject({ version: 2 });
  expect(await catalog.providerOf('p', 1, 60_000)).toMatchObject({ version: 2 });
});

test('a version that does not come is not waited for longer than asked', async () => {
  const clock = new ManualClock();
  const catalog = new Catalog(clock);
  catalog.put(recordKey('provider', 'p'), record(1));
  const older = catalog.providerOf('p', 2, 1_000);
  const unknown = catalog.providerOf('q', 1, 1_000);
  await clock.advance(1_000);
  expect(await older).toMatchObject({ version: 1 });
  expect(await unknown).toBeUndefined();
});

test("a target's * becomes the text that the model's * matched, with special characters unchanged", () => {
  const list = [
    { provider: 'a', model: 'x/*:free' },
    { provider: 'b', model: 'fixed' },
  ];
  expect(targetsOf({ targets: list }, '$&/b')).toEqual([
    { provider: 'a', model: 'x/$&/b:free' },
    { provider: 'b', model: 'fixed' },
  ]);
});

const fields = { name: 'm', targets: [{ provider: 'p', model: 'm' }] };
const total = 1_800_000;

test('images have longer default timeouts for the first token and while idle', () => {
  const usual = { firstToken: 60_000, idle: 60_000, total };
  const plain = modelSchema.parse(fields);
  expect(timeoutsFor(plain, 'generate')).toEqual(usual);
  expect(timeoutsFor(plain, 'speech')).toEqual(usual);
  expect(timeoutsFor(plain, 'image')).toEqual({ firstToken: 300_000, idle: 300_000, total });
});

test("a model's own timeouts apply to all of its operations", () => {
  const hasty = modelSchema.parse({ ...fields, timeouts: { firstToken: '5s', total: '1m' } });
  expect(timeoutsFor(hasty, 'image')).toEqual({ firstToken: 5_000, idle: 300_000, total: 60_000 });
  expect(timeoutsFor(hasty, 'generate')).toEqual({ firstToken: 5_000, idle: 60_000, total: 60_000 });
});
