import type { ProviderInfo } from '@model-gateway/admin-api';
import { expect, test } from 'vitest';
import { formSettings } from './kept-keys.ts';

const settings = {
  ...{ name: 'house', kind: 'openai-compatible', api: ['chat', 'completions'], batch: 8, pool: 'gpu' },
  ...{ baseUrl: 'http://127.0.0.1:8000/v1', headers: { 'x-team': { set: true } } },
  ...{ streams: 'as-asked', prefill: false, options: { region: 'eu-west-1', profile: 'a=b' } },
  models: { discover: true, include: ['gpt-*', 'o*'], prefix: 'house/', every: '5m' },
  proxy: { url: 'http://proxy:3128', password: { set: true } },
  tls: { ca: { file: '/etc/ca.pem' } },
} satisfies Partial<ProviderInfo>;
const provider: ProviderInfo = {
  ...{ managedBy: 'api', place: null, problems: [], createdAt: '2026-11-25T00:00:00Z' },
  ...{ apiKey: null, apiKeys: null, discovered: null, ...settings, api: ['chat', 'completions'] },
};

test('a form has the settings of a provider as they are', () => {
  expect(formSettings(provider)).toEqual(settings);
  for (const apiKey of [{ env: 'KEY' }, { file: '/run/key' }])
    expect(formSettings({ ...provider, apiKey }).apiKey).toEqual(apiKey);
});

test('a stored key says whose it is, so that it is kept under another name or place', () => {
  expect(formSettings({ ...provider, apiKey: { set: true } }).apiKey).toEqual({ set: true, from: '1' });
  const apiKeys: ProviderInfo['apiKeys'] = [
    { key: { set: true }, name: 'one', weight: 3 },
    { key: { env: 'KEY' } },
    { key: { set: true } },
  ];
  expect(formSettings({ ...provider, apiKeys }).apiKeys).toEqual([
    { key: { set: true, from: 'one' }, name: 'one', weight: 3 },
    { key: { env: 'KEY' } },
    { key: { set: true, from: '3' } },
  ]);
});
