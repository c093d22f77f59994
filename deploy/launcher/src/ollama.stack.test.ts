import { once } from 'node:events';
import { ManualClock } from '@model-gateway/clock/testing';
import { type Listening, listen } from '@model-gateway/service';
import { afterEach, expect, test } from 'vitest';
import { ollamaModels, ollamaUrl } from './catalog.ts';

let server: Listening;
afterEach(() => server.close());

test('ollamaModels lists the models of a running Ollama', async () => {
  server = await listen(
    (request, response) => {
      expect(request.url).toBe('/api/tags');
      response.end(JSON.stringify({ models: [{ name: 'llama3.1:8b', size: 1 }, { name: 'qwen3:4b' }] }));
    },
    '127.0.0.1',
    0,
  );
  expect(await ollamaModels(server.url, new ManualClock())).toEqual(['llama3.1:8b', 'qwen3:4b']);
});

test.each([
  ['is not Ollama', (_: unknown, response: { end(text: string): void }) => response.end('<html>')],
  [
    'responds with other JSON',
    (_: unknown, response: { end(text: string): void }) => response.end('{"a":1}'),
  ],
])('ollamaModels is empty if the server there %s', async (_, handler) => {
  server = await listen(handler, '127.0.0.1', 0);
  expect(await ollamaModels(server.url, new ManualClock())).toEqual([]);
});

test('ollamaModels is empty if the server there does not respond for a second', async () => {
  const clock = new ManualClock();
  server = await listen(() => {}, '127.0.0.1', 0);
  const models = ollamaModels(server.url, clock);
  await once(server.server, 'request');
  await clock.advance(1_000);
  expect(await models).toEqual([]);
});

test.each([
  [undefined, 'http://127.0.0.1:11434'],
  ['gpu-box', 'http://gpu-box:11434'],
  ['0.0.0.0', 'http://127.0.0.1:11434'],
  ['0.0.0.0:9999', 'http://127.0.0.1:9999'],
  ['http://10.0.0.7:8000/', 'http://10.0.0.7:8000'],
  ['https://ollama.example.com', 'https://ollama.example.com'],
  ['no host:', 'http://127.0.0.1:11434'],
])('OLLAMA_HOST %s is the address %s', (OLLAMA_HOST, url) => {
  expect(ollamaUrl({ OLLAMA_HOST })).toBe(url);
});
