import { type Listening, listen } from '@model-gateway/service';
import { afterEach, expect, test } from 'vitest';
import { ollamaModels } from './catalog.ts';

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
  expect(await ollamaModels(server.url, 30_000)).toEqual(['llama3.1:8b', 'qwen3:4b']);
});

test.each([
  ['does not respond', () => {}],
  ['is not Ollama', (_: unknown, response: { end(text: string): void }) => response.end('<html>')],
  [
    'responds with other JSON',
    (_: unknown, response: { end(text: string): void }) => response.end('{"a":1}'),
  ],
])('ollamaModels is empty if the server there %s', async (_, handler) => {
  server = await listen(handler, '127.0.0.1', 0);
  const begun = Date.now();
  expect(await ollamaModels(server.url)).toEqual([]);
  expect(Date.now() - begun).toBeLessThan(15_000);
});
