import { expect, test } from 'vitest';
import { type ProviderProfile, profileOf } from './index.ts';

async function urlOf(
  kind: string,
  access: Parameters<ProviderProfile['connect']>[0],
  path: string,
  model: string,
) {
  return (await profileOf(kind).connect(access)).url(path, model, true);
}

const chat = '/chat/completions';
const v1Chat = 'https://x.openai.azure.com/openai/v1/chat/completions';
const dated =
  'https://x.openai.azure.com/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21';

test.each<[baseUrl: string, apiVersion: string | undefined, path: string, url: string]>([
  ['https://x.openai.azure.com', undefined, chat, v1Chat],
  ['https://x.openai.azure.com/openai', undefined, chat, v1Chat],
  ['https://x.openai.azure.com/openai/v1', undefined, chat, v1Chat],
  ['https://x.openai.azure.com/openai/v1', 'preview', chat, `${v1Chat}?api-version=preview`],
  ['https://x.openai.azure.com', '2024-10-21', chat, dated],
  ['https://x.openai.azure.com/openai', '2024-10-21', chat, dated],
  [
    'https://x.openai.azure.com',
    '2025-04-01-preview',
    '/responses',
    'https://x.openai.azure.com/openai/responses?api-version=2025-04-01-preview',
  ],
  [
    'https://proxy.example/azure',
    '2024-10-21',
    '/completions',
    'https://proxy.example/azure/openai/deployments/my%20gpt/completions?api-version=2024-10-21',
  ],
])('azure-openai takes %s with the API version %s', async (baseUrl, apiVersion, path, url) => {
  const options: Record<string, string> = apiVersion === undefined ? {} : { apiVersion };
  expect(await urlOf('azure-openai', { baseUrl, apiKey: 'k', options }, path, 'my gpt')).toBe(url);
});

const google = 'https://aiplatform.googleapis.com';
const place = '/projects/p-1/locations';

test.each<[location: string | undefined, path: string, model: string, url: string]>([
  [
    undefined,
    '/v1beta/models/m:generateContent',
    'gemini-2.5-pro',
    `${google}/v1beta1${place}/global/publishers/google/models/gemini-2.5-pro:generateContent`,
  ],
  [
    'europe-west4',
    '/v1beta/models/m:streamGenerateContent?alt=sse',
    'google/gemini-2.5-pro',
    `https://europe-west4-aiplatform.googleapis.com/v1beta1${place}/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse`,
  ],
  [
    'eu',
    '/v1/messages',
    'claude-opus-4-5@20251101',
    `https://aiplatform.eu.rep.googleapis.com/v1${place}/eu/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict`,
  ],
  [
    'global',
    '/v1/messages',
    'publishers/anthropic/models/claude-opus-4-6',
    `${google}/v1${place}/global/publishers/anthropic/models/claude-opus-4-6:streamRawPredict`,
  ],
  [
    'us-central1',
    '/v1beta/models/m:generateContent',
    'endpoints/123456',
    `https://us-central1-aiplatform.googleapis.com/v1beta1${place}/us-central1/endpoints/123456:generateContent`,
  ],
  [
    'us-central1',
    chat,
    'meta/llama-3.3-70b-instruct-maas',
    `https://us-central1-aiplatform.googleapis.com/v1${place}/us-central1/endpoints/openapi/chat/completions`,
  ],
])('vertex in the location %s serves %s of %s', async (location, path, model, url) => {
  const options = { project: 'p-1', ...(location && { location }) };
  expect(await urlOf('vertex', { baseUrl: google, apiKey: 'AIza-1', options }, path, model)).toBe(url);
});

test.each(['azure-openai', 'vertex'])('%s refuses a model whose name would be another path', async kind => {
  const options: Record<string, string> =
    kind === 'vertex' ? { project: 'p-1' } : { apiVersion: '2024-10-21' };
  const access = { baseUrl: google, apiKey: 'k', options };
  const path = kind === 'vertex' ? '/v1/messages' : chat;
  await expect(urlOf(kind, access, path, '..')).rejects.toMatchObject({ kind: 'invalid-request' });
});

test.each([
  ['gemini-2.5-pro', { generate: ['generate-content'] }],
  ['claude-sonnet-4-6', { generate: ['messages'] }],
  ['anthropic/claude-sonnet-4-6', { generate: ['messages'] }],
  ['deepseek-ai/deepseek-v3.1-maas', { generate: ['chat'] }],
  ['text-embedding-005', { embed: ['vertex-embed'] }],
  ['gemini-embedding-001', { embed: ['vertex-embed'] }],
  ['google/gemini-embedding-2', { embed: ['vertex-embed-content'] }],
])('vertex speaks to %s in %j', (model, formats) => {
  expect(profileOf('vertex').formatsOf?.(model)).toMatchObject(formats);
});
