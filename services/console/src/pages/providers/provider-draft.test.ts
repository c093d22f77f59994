import type { ProviderInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { draftOfProvider, newProvider, settingsOfDraft } from './provider-draft.ts';

const provider: ProviderInfo = {
  ...{ name: 'house', managedBy: 'api', place: null, overridden: false, problems: [] },
  createdAt: '2026-11-25T00:00:00Z',
  kind: 'openai-compatible',
  api: ['chat', 'completions'],
  batch: 8,
  baseUrl: 'http://127.0.0.1:8000/v1',
  apiKey: { set: true },
  headers: { 'x-team': { set: true } },
  pool: 'gpu',
  streams: 'as-asked',
  prefill: false,
  options: { region: 'eu-west-1', profile: 'a=b' },
  models: { discover: true, include: ['gpt-*', 'o*'], prefix: 'house/', every: '5m' },
  apiKeys: null,
  proxy: { url: 'http://proxy:3128', password: { set: true } },
  tls: { ca: { file: '/etc/ca.pem' } },
  discovered: null,
};

test('a provider that is not changed in the form is put as it is, and its secrets are kept', () => {
  const { kind, api, batch, baseUrl, apiKey, headers, pool, streams, prefill, options, models, proxy, tls } =
    provider;
  const settings = {
    kind,
    api,
    batch,
    baseUrl,
    apiKey,
    headers,
    pool,
    streams,
    prefill,
    options,
    models,
    proxy,
    tls,
  };
  expect(settingsOfDraft(draftOfProvider(provider))).toEqual(settings);
  for (const apiKey of [{ env: 'KEY' }, { file: '/run/key' }])
    expect(settingsOfDraft(draftOfProvider({ ...provider, apiKey })).apiKey).toEqual(apiKey);
});

test('what is empty is not set', () => {
  expect(settingsOfDraft({ ...newProvider, kind: 'openai' })).toEqual({ kind: 'openai' });
  const headers = [{ key: '1', name: ' ', value: 'x', stored: false }];
  expect(settingsOfDraft({ ...newProvider, headers, pool: ' ' })).toEqual({ kind: 'openai-compatible' });
});

test('a secret is sent as it is typed', () => {
  const typed = { ...newProvider, keySource: 'value' as const, keyText: ' s ' };
  expect(settingsOfDraft(typed).apiKey).toEqual({ value: ' s ' });
});

test('several keys and references of headers are kept', () => {
  const apiKeys = [{ key: { set: true as const }, name: 'one', weight: 3 }, { key: { env: 'KEY' } }];
  const headers = { 'x-team': { set: true as const }, 'x-key': { env: 'TEAM_KEY' } };
  const several = { ...provider, apiKey: null, apiKeys, headers };
  expect(settingsOfDraft(draftOfProvider(several))).toMatchObject({ apiKeys, headers });
});
