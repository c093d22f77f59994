import { listen } from '@model-gateway/service';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { byRoute } from './service.ts';

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
