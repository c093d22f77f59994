import { afterEach, expect, test, vi } from 'vitest';
import { Catalog } from './catalog.ts';
import { type ProviderRecord, recordKey } from './record.ts';
import { routeTo } from './route.ts';

afterEach(() => void vi.useRealTimers());

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
  const catalog = new Catalog();
  const key = recordKey('provider', 'p');
  const found = catalog.providerOf('p', 2, 60_000);
  catalog.put(key, record(1));
  catalog.put(key, record(2));
  expect(await found).toMatchObject({ version: 2 });
  expect(await catalog.providerOf('p', 1, 60_000)).toMatchObject({ version: 2 });
});

test('a version that does not come is not waited for longer than asked', async () => {
  vi.useFakeTimers();
  const catalog = new Catalog();
  catalog.put(recordKey('provider', 'p'), record(1));
  const older = catalog.providerOf('p', 2, 1_000);
  const unknown = catalog.providerOf('q', 1, 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await older).toMatchObject({ version: 1 });
  expect(await unknown).toBeUndefined();
});
