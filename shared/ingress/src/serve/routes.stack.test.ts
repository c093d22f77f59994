import { listen } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byRoute, matchRoute, routeMethods } from './routes.ts';

test.each([
  ['POST', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '/v1/completions', 'ingress-chat'],
  ['GET', '/v1/models', 'ingress-models'],
  ['HEAD', '/v1/models', 'ingress-models'],
  ['GET', '/v1beta/models', 'ingress-models'],
  ['GET', '/v1/models/house/llama3.1:8b', 'ingress-models'],
  ['GET', '/v1/models/house%2Fllama', 'ingress-models'],
  ['POST', '/v1beta/models/gemini-3:generateContent', 'ingress-generate-content'],
  ['POST', '/v1/models/a/b:c:streamGenerateContent', 'ingress-generate-content'],
  ['POST', '/v1alpha/models/a%2Fb:countTokens', 'ingress-generate-content'],
  ['POST', '/v1beta/tunedModels/t1:generateContent', 'ingress-generate-content'],
  ['POST', '/v1beta/models/m:unheardOf', 'ingress-generate-content'],
  ['GET', '/v1beta/models/m:generateContent', 'ingress-generate-content'],
  ['GET', '/v1beta/models/house/llama:latest', 'ingress-models'],
  ['POST', '/v1beta/models', 'ingress-generate-content'],
  ['GET', '/v1beta/files', 'ingress-generate-content'],
  ['POST', '/upload/v1beta/files', 'ingress-generate-content'],
  ['DELETE', '/v1alpha/cachedContents/1', 'ingress-generate-content'],
  ['GET', '/v1betas', undefined],
  ['POST', '/openai/deployments/a/b:c/chat/completions', 'ingress-chat'],
  ['POST', '/deployments/a/nothing', undefined],
  ['POST', '/v1/v1/v1/messages', undefined],
  ['POST', '/v1/messages', 'ingress-messages'],
  ['POST', '/v1/messages/count_tokens', 'ingress-messages'],
  ['GET', '/v1/responses/resp_1', 'ingress-responses'],
  ['POST', '/v1/embeddings', 'ingress-embeddings'],
  ['POST', '/v1/rerank', 'ingress-embeddings'],
  ['POST', '/v1/moderations', 'ingress-embeddings'],
  ['POST', '/v2/rerank', 'ingress-embeddings'],
  ['POST', '/rerank', 'ingress-embeddings'],
  ['POST', '/v2/embeddings', undefined],
  ['POST', '/v1/images/edits', 'ingress-images'],
  ['POST', '/v1/audio/speech', 'ingress-audio'],
  ['GET', '/v1/realtime', 'realtime'],
  ['DELETE', '/api/v1/tokens/1', 'control'],
  ['GET', '/openapi.json', 'control'],
  ['GET', '/docs', 'control'],
  ['GET', '/docs/page.js', 'control'],
  ['GET', '/console/playground', 'console'],
  ['GET', '/healthz', 'edge'],
  ['POST', '/v1/models', undefined],
  ['POST', '/v1/messagesx', undefined],
  ['GET', '/', undefined],
])('%s %s is routed to %s', (method, path, service) => {
  expect(matchRoute(method, path)).toBe(service);
});

test('routeMethods returns the methods of a path', () => {
  expect(routeMethods('/v1/models')).toEqual(['GET']);
  expect(routeMethods('/v1/nothing')).toEqual([]);
});

const say = (text: string) => (_request: unknown, response: { end(text: string): void }) =>
  response.end(text);
let front: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  const services = {
    'ingress-chat': say('chat'),
    'ingress-models': say('models'),
    console: say('console'),
    control: say('control'),
    edge: say('edge'),
  };
  front = await listen(byRoute(services, say('otherwise')), '127.0.0.1', 0);
});
afterAll(() => front.close());

test.each([
  ['POST', '/v1/chat/completions', 'chat'],
  ['POST', '/v1/chat/completions?a=/api/x', 'chat'],
  ['GET', '/v1/models', 'models'],
  ['GET', '/v1/models/openai%2Fgpt-5', 'models'],
  ['POST', '/v1/models', 'otherwise'],
  ['POST', '/api/v1/tokens', 'control'],
  ['GET', '/openapi.json', 'control'],
  ['GET', '/console', 'console'],
  ['GET', '/console/playground', 'console'],
  ['GET', '/consoles', 'otherwise'],
  ['GET', '/readyz', 'edge'],
  ['GET', '/healthz?x', 'edge'],
  ['POST', '/v1/messages', 'otherwise'],
  ['GET', '/', 'otherwise'],
])('the route of %s %s leads to %s', async (method, path, service) => {
  const answer = await fetch(front.url + path, { method });
  expect(await answer.text()).toBe(service);
});

test('a remembered path leads to the same service, with a query and after many other paths', () => {
  const handled: string[] = [];
  const handle = byRoute({ 'ingress-chat': () => handled.push('chat') }, () => handled.push('otherwise'));
  const send = (method: string, url: string) => handle({ method, url } as never, {} as never);
  send('POST', '/v1/chat/completions');
  send('POST', '/v1/chat/completions?a=b');
  send('POST', '/v1/chat');
  for (let path = 0; path < 1_000; path++) send('GET', `/${path}`);
  handled.splice(3, 1_000);
  send('POST', '/v1/chat/completions');
  send('POST', '/v1/completions');
  expect(handled).toEqual(['chat', 'chat', 'otherwise', 'chat', 'chat']);
});
