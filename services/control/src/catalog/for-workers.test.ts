import { randomBytes } from 'node:crypto';
import {
  notSealed,
  PoolSealer,
  type ProviderRecord,
  PurposeSealer,
  recordKey,
  type Sealed,
} from '@model-gateway/catalog';
import { beforeEach, expect, test } from 'vitest';
import type { Change } from '../common/change.ts';
import { SecretsForWorkers } from './for-workers.ts';

const own = new PurposeSealer(randomBytes(32), 'providers');
let keys: Map<string, Buffer>;
let secrets: SecretsForWorkers;
beforeEach(() => {
  keys = new Map([
    ['default', randomBytes(32)],
    ['eu', randomBytes(32)],
  ]);
  const of = (pool: string) => {
    const key = keys.get(pool);
    if (!key) throw new Error(`/keys/${pool}: no such file`);
    return key;
  };
  secrets = new SecretsForWorkers(own, { of });
});

function change(name: string, fields: Partial<ProviderRecord>): Change {
  const value = { ...{ name, kind: 'openai', headers: {}, pool: 'default', version: 1 }, ...fields };
  return { bucket: 'catalog', key: recordKey('provider', name), value };
}

const published = (each: Change) => secrets.seal(each).value as ProviderRecord;
const open = (pool: string, name: string, sealed: unknown) =>
  new PoolSealer(keys.get(pool) as Buffer).unseal(name, sealed as Sealed);

test("a provider's secrets are sealed by the key of its pool, which alone opens them", () => {
  const { apiKey, headers } = published(
    change('vendor', {
      pool: 'eu',
      apiKey: own.seal('vendor', 'sk-vendor'),
      headers: { 'x-team': own.seal('vendor', 'team') },
    }),
  );
  expect(open('eu', 'vendor', apiKey)).toBe('sk-vendor');
  expect(open('eu', 'vendor', headers['x-team'])).toBe('team');
  for (const sealed of [apiKey, headers['x-team']]) {
    expect(() => open('default', 'vendor', sealed)).toThrow(/key of this pool/);
    expect(() => own.unseal('vendor', sealed as Sealed)).toThrow(/master key/);
  }
});

test('references, other entries and removals are published as they are', () => {
  const referring = change('referring', { apiKey: { env: 'KEY' }, pool: 'nowhere' });
  expect(secrets.seal(referring)).toEqual(referring);
  const others: Change[] = [
    { bucket: 'catalog', key: recordKey('model', 'm'), value: { version: 1 } as never },
    { bucket: 'access', key: 'token.x', value: { version: 1 } as never },
    { bucket: 'catalog', key: recordKey('provider', 'gone'), value: null },
  ];
  expect(others.map(each => secrets.seal(each))).toEqual(others);
  expect(secrets.notices()).toEqual([]);
});

test('two controls, and two versions of the rest, publish the same texts', () => {
  const apiKey = own.seal('vendor', 'sk-vendor');
  const other = new SecretsForWorkers(own, { of: pool => keys.get(pool) as Buffer });
  expect(other.seal(change('vendor', { apiKey }))).toEqual(secrets.seal(change('vendor', { apiKey })));
});

test('a pool without a key is told, until it has one', () => {
  const far = change('far', { pool: 'far', apiKey: own.seal('far', 'sk-far') });
  expect(published(far).apiKey).toEqual({ sealed: notSealed.noPoolKey });
  expect(secrets.notices()).toEqual([
    'workers of the pool far cannot read the secrets of far: /keys/far: no such file',
  ]);
  expect(secrets.isOutdated()).toBe(false);
  keys.set('far', randomBytes(32));
  expect(secrets.isOutdated()).toBe(true);
  expect(open('far', 'far', published(far).apiKey)).toBe('sk-far');
  expect([secrets.notices(), secrets.isOutdated()]).toEqual([[], false]);
});

test('secrets are sealed again when the key of their pool changes, and not before', () => {
  const eu = change('vendor', { pool: 'eu', apiKey: own.seal('vendor', 'sk-vendor') });
  const before = published(eu).apiKey;
  expect(secrets.isOutdated()).toBe(false);
  keys.set('eu', randomBytes(32));
  expect(secrets.isOutdated()).toBe(true);
  const after = published(eu).apiKey;
  expect(after).not.toEqual(before);
  expect(open('eu', 'vendor', after)).toBe('sk-vendor');
});

test('a secret that another master key has sealed is told, until it is entered again or gone', () => {
  const foreign = new PurposeSealer(randomBytes(32), 'providers').seal('lost', 'sk-lost');
  expect(published(change('lost', { apiKey: foreign })).apiKey).toEqual({ sealed: notSealed.unreadable });
  expect(secrets.notices()).toEqual(['lost has a secret that another master key has sealed: enter it again']);
  published(change('lost', { apiKey: own.seal('lost', 'sk-again') }));
  expect(secrets.notices()).toEqual([]);
  published(change('lost', { apiKey: foreign }));
  secrets.seal({ bucket: 'catalog', key: recordKey('provider', 'lost'), value: null });
  expect(secrets.notices()).toEqual([]);
});
