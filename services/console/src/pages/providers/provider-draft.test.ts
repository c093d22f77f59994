import type { ProviderInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { newKey } from './keys-draft.ts';
import { draftOfProvider, newProvider, settingsOfDraft } from './provider-draft.ts';
import { newSecret } from './secret-draft.ts';

const settings = {
  ...{ kind: 'openai-compatible' as const, api: ['chat', 'completions'], batch: 8, pool: 'gpu' },
  ...{ baseUrl: 'http://127.0.0.1:8000/v1', apiKey: { set: true }, headers: { 'x-team': { set: true } } },
  ...{ streams: 'as-asked' as const, prefill: false, options: { region: 'eu-west-1', profile: 'a=b' } },
  models: { discover: true, include: ['gpt-*', 'o*'], prefix: 'house/', every: '5m' },
  proxy: { url: 'http://proxy:3128', password: { set: true } },
  tls: { ca: { file: '/etc/ca.pem' } },
} satisfies Partial<ProviderInfo>;
const provider: ProviderInfo = {
  ...{ name: 'house', managedBy: 'api', place: null, problems: [] },
  ...{ createdAt: '2026-11-25T00:00:00Z', apiKeys: null, discovered: null, ...settings },
};

test('a provider that is not changed in the form is put as it is, and its secrets are kept', () => {
  expect(settingsOfDraft(draftOfProvider(provider))).toEqual(settings);
  for (const apiKey of [{ env: 'KEY' }, { file: '/run/key' }])
    expect(settingsOfDraft(draftOfProvider({ ...provider, apiKey })).apiKey).toEqual(apiKey);
});

test('what is empty is not set', () => {
  expect(settingsOfDraft({ ...newProvider, kind: 'openai' })).toEqual({ kind: 'openai' });
  const headers = [{ key: '1', name: ' ', secret: { ...newSecret, text: 'x' } }];
  expect(settingsOfDraft({ ...newProvider, headers, pool: ' ' })).toEqual({ kind: 'openai-compatible' });
});

test('a secret is sent as it is typed', () => {
  const keys = [{ ...newKey('1'), secret: { ...newSecret, text: ' s ' } }];
  expect(settingsOfDraft({ ...newProvider, keyCount: 'one', keys }).apiKey).toEqual({ value: ' s ' });
});

const several: ProviderInfo = {
  ...provider,
  apiKey: null,
  apiKeys: [{ key: { set: true }, name: 'one', weight: 3 }, { key: { env: 'KEY' } }, { key: { set: true } }],
  headers: { 'x-team': { set: true }, 'x-key': { env: 'TEAM_KEY' } },
};

test('several keys and references of headers are kept', () => {
  const { apiKeys, headers } = several;
  const settings = settingsOfDraft(draftOfProvider(several));
  expect(settings).toMatchObject({ apiKeys, headers });
  expect(settings.apiKey).toBeUndefined();
});

test('a key that gets another name or place keeps its secret, by the name that it had', () => {
  const draft = draftOfProvider(several);
  const [one, , third] = draft.keys;
  if (!one || !third) throw new Error('a key is missing');
  const changed = { ...draft, keys: [third, { ...one, name: 'team-a' }] };
  expect(settingsOfDraft(changed).apiKeys).toEqual([
    { key: { set: true, from: '3' } },
    { key: { set: true, from: 'one' }, name: 'team-a', weight: 3 },
  ]);
  expect(settingsOfDraft({ ...draft, keyCount: 'one' }).apiKey).toEqual({ set: true, from: 'one' });
  const single = draftOfProvider(provider);
  const more = { ...single, keyCount: 'several' as const, keys: [...single.keys, newKey('new')] };
  expect(settingsOfDraft(more).apiKeys).toEqual([{ key: { set: true } }, { key: { value: '' } }]);
});

test('a typed secret takes the place of the stored one', () => {
  const draft = draftOfProvider(provider);
  const keys = draft.keys.map(key => ({ ...key, secret: { ...key.secret, text: 'new' } }));
  const headers = draft.headers.map(header => ({ ...header, secret: { ...header.secret, text: 'b' } }));
  expect(settingsOfDraft({ ...draft, keys, headers })).toMatchObject({
    apiKey: { value: 'new' },
    headers: { 'x-team': 'b' },
  });
});

test('a proxy is none, a URL, or that with a credential', () => {
  const proxyOf = (proxy: ProviderInfo['proxy']) =>
    settingsOfDraft(draftOfProvider({ ...provider, proxy })).proxy;
  const withUser = { url: 'http://proxy:3128', username: 'u', password: { env: 'PASSWORD' } };
  for (const proxy of ['none', 'http://proxy:3128', withUser] as const) expect(proxyOf(proxy)).toEqual(proxy);
  expect(proxyOf(null)).toBeUndefined();
});

test('certificates that are typed are set', () => {
  const tls = { cert: { file: '/c' }, key: { file: '/k' }, serverName: 'house' };
  expect(settingsOfDraft(draftOfProvider({ ...provider, tls })).tls).toEqual(tls);
});
