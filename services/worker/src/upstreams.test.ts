import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { Catalog, notSealed, PoolSealer, type ProviderRecord, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { fixedConnection, type ProviderProfile, providerProfiles } from '@model-gateway/providers';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { missingKeys } from './credentials.ts';
import { Upstreams } from './upstreams.ts';

const file = join(mkdtempSync(join(tmpdir(), 'upstreams-')), 'key');
const route = testRoute({ key: 'default' });
const connect = vi.fn<ProviderProfile['connect']>();
const clock = new ManualClock();
const catalog = new Catalog(clock);
const sealer = new PoolSealer(Buffer.alloc(32, 1));
const ofOther = new PoolSealer(Buffer.alloc(32, 2));
const put = (version: number) =>
  catalog.put(recordKey('provider', 'p'), {
    name: 'p',
    kind: 'test-kind',
    baseUrl: 'http://upstream.example',
    apiKey: { file },
    headers: {},
    pool: 'default',
    version,
  } satisfies ProviderRecord);
let upstreams: Upstreams;

beforeEach(() => {
  connect.mockReset().mockImplementation(({ baseUrl }) => fixedConnection(baseUrl, {}));
  providerProfiles['test-kind'] = { baseUrl: undefined, formats: { generate: ['chat'] }, connect };
  upstreams = new Upstreams(catalog, sealer, { clock });
  writeFileSync(file, 'first');
  put(1);
});
afterEach(() => {
  delete providerProfiles['test-kind'];
});

test('a route waits for the version of its provider, and goes on without it after a second', async () => {
  const waiting = upstreams.of({ ...route, version: 2 }, 'generate');
  await clock.advance(500);
  expect(connect).not.toHaveBeenCalled();
  put(2);
  expect((await waiting).connection.url('/x', 'up')).toBe('http://upstream.example/x');
  const late = upstreams.of({ ...route, version: 3 }, 'generate');
  await clock.advance(1_000);
  expect((await late).provider).toBe('p');
});

test('a connection lasts until the provider or its key changes', async () => {
  const keys = () => connect.mock.calls.map(([{ apiKey }]) => apiKey);
  for (let i = 0; i < 2; i++) await upstreams.of(route, 'generate');
  await clock.advance(31_000);
  await upstreams.of(route, 'generate');
  expect(keys()).toEqual(['first']);
  writeFileSync(file, 'second');
  await clock.advance(31_000);
  await upstreams.of(route, 'generate');
  expect(keys()).toEqual(['first', 'second']);
  put(2);
  await upstreams.of(route, 'generate');
  expect(keys()).toEqual(['first', 'second', 'second']);
});

test('a provider that does not connect in time is an error, and the next request tries again', async () => {
  connect.mockImplementationOnce(() => new Promise(() => {}));
  const failed = expect(upstreams.of(route, 'generate')).rejects.toMatchObject({ kind: 'timeout' });
  await clock.advance(10_000);
  await failed;
  expect((await upstreams.of(route, 'generate')).provider).toBe('p');
});

test('the API keys of its pool that a worker does not have are known, without their values', () => {
  const record = (name: string, fields: Partial<ProviderRecord>) =>
    catalog.put(recordKey('provider', name), {
      ...{ name, kind: 'openai', headers: {}, pool: 'own', version: 1 },
      ...fields,
    });
  record('set', { apiKey: { file } });
  record('unreadable', { apiKey: { file: '/nowhere/key' } });
  record('unset', { apiKey: { env: 'NO_SUCH_VARIABLE' } });
  record('open', {});
  record('far', { apiKey: { env: 'NO_SUCH_VARIABLE' }, pool: 'far' });
  record('sealed', { apiKey: sealer.seal('sealed', 'sk-secret') });
  record('closed', { apiKey: ofOther.seal('closed', 'sk-secret') });
  record('keyless', { headers: { 'x-team': { sealed: notSealed.noPoolKey } } });
  expect(missingKeys(catalog, 'own', sealer)).toEqual([
    'a secret of provider "closed" cannot be opened with the key of this pool: GATEWAY_POOL_KEY is not the one that control has',
    'a secret of provider "keyless" is not sealed for this pool: control has no key of the pool in GATEWAY_POOL_KEYS',
    'unreadable has no API key: /nowhere/key is not readable',
    'unset has no API key: NO_SUCH_VARIABLE is not set',
  ]);
});

test('a secret that is not sealed for this pool disables its provider, whose other targets may serve', async () => {
  const sealed = (apiKey: { sealed: string }) =>
    catalog.put(recordKey('provider', 'p'), {
      ...{ name: 'p', kind: 'test-kind', baseUrl: 'http://upstream.example', pool: 'default', version: 1 },
      ...{ headers: {}, apiKey },
    } satisfies ProviderRecord);
  sealed(ofOther.seal('p', 'sk-secret'));
  await expect(upstreams.of(route, 'generate')).rejects.toMatchObject({
    kind: 'upstream',
    message: expect.stringContaining("The provider 'p' is disabled: a secret of provider"),
    details: { refusedKey: true },
  });
  sealed(sealer.seal('p', 'sk-secret'));
  await upstreams.of(route, 'generate');
  expect(connect.mock.calls.map(([{ apiKey }]) => apiKey)).toEqual(['sk-secret']);
});

test('each of several keys is read by its name, and headers by their references', async () => {
  const keys = () => connect.mock.calls.map(([{ apiKey }]) => apiKey);
  vi.stubEnv('SECOND_KEY', 'second');
  catalog.put(recordKey('provider', 'p'), {
    ...{ name: 'p', kind: 'test-kind', baseUrl: 'http://upstream.example', pool: 'default', version: 1 },
    ...{ headers: { 'X-Team': { env: 'SECOND_KEY' } } },
    ...{ apiKey: { file }, apiKeys: [{ key: { file } }, { key: { env: 'SECOND_KEY' }, name: 'two' }] },
  } satisfies ProviderRecord);
  for (const key of ['1', 'two', 'default']) await upstreams.of(testRoute({ key }), 'generate');
  expect(keys()).toEqual(['first', 'second', 'first']);
  const { headers } = await upstreams.of(testRoute({ key: 'two' }), 'generate');
  expect(headers).toEqual({ 'x-team': 'second' });
  vi.unstubAllEnvs();
  await clock.advance(31_000);
  const unset = { kind: 'upstream', details: { refusedKey: true } };
  await expect(upstreams.of(testRoute({ key: 'two' }), 'generate')).rejects.toMatchObject(unset);
});
