import { expect, test } from 'vitest';
import { profileOf } from './index.ts';

async function urlOf(kind: string, baseUrl: string, path: string): Promise<string> {
  return (await profileOf(kind).connect({ baseUrl, apiKey: 'k', options: {} })).url(path, 'm');
}

test.each([
  ['openai', 'https://api.openai.com', 'https://api.openai.com/v1/chat/completions'],
  ['openai', 'https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
  ['openai', 'https://eu.example/proxy', 'https://eu.example/proxy/chat/completions'],
  ['ollama', 'http://127.0.0.1:11434', 'http://127.0.0.1:11434/v1/chat/completions'],
  // Some servers have no path before their paths.
  ['openai-compatible', 'https://bare.example', 'https://bare.example/chat/completions'],
])('%s takes the base URL %s', async (kind, baseUrl, url) => {
  expect(await urlOf(kind, baseUrl, '/chat/completions')).toBe(url);
});

test.each([
  ['anthropic', '/v1', '/v1/messages'],
  ['gemini', '/v1beta', '/v1beta/models/m:generateContent'],
  ['cohere', '/v2', '/v2/embed'],
  ['deepgram', '/v1', '/v1/listen?model=m'],
])('%s takes a base URL with and without %s', async (kind, suffix, path) => {
  const urls = await Promise.all(
    ['', suffix].map(end => urlOf(kind, `https://vendor.example/proxy${end}`, path)),
  );
  expect(urls).toEqual(Array(2).fill(`https://vendor.example/proxy${path}`));
});

test('tei has a version before embeddings alone', async () => {
  for (const baseUrl of ['http://tei', 'http://tei/v1']) {
    expect(await urlOf('tei', baseUrl, '/embeddings')).toBe('http://tei/v1/embeddings');
    expect(await urlOf('tei', baseUrl, '/rerank')).toBe('http://tei/rerank');
  }
});

test.each([
  ['openai', { authorization: 'Bearer k' }],
  ['anthropic', { 'x-api-key': 'k' }],
  ['gemini', { 'x-goog-api-key': 'k' }],
  ['deepgram', { authorization: 'Token k' }],
])('%s takes its key in %o, and no header without one', async (kind, headers) => {
  const request = { method: 'POST', url: 'https://vendor.example/', headers: {}, body: undefined } as const;
  const sign = async (apiKey?: string) =>
    (await profileOf(kind).connect({ baseUrl: 'https://vendor.example', apiKey, options: {} })).sign(request);
  expect(await sign('k')).toEqual(headers);
  expect(await sign()).toEqual({});
});
