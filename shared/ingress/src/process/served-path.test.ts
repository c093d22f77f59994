import { expect, test } from 'vitest';
import { matchRoute } from '../serve/routes.ts';
import { deploymentOf, namesUnderV1, toServedPath } from './served-path.ts';

const served = (url: string) => {
  const request = { url };
  toServedPath(request);
  return request.url;
};

test.each([
  '/v1/chat/completions',
  '/v1/chat/completions?a=//',
  '/v1/responses/resp_1/input_items?limit=2',
  '/v1/models/house/llama3.1:8b',
  '/v1/models/house%2Fllama',
  '/v1beta/models/gemini-3:generateContent?key=a',
  '/v1/models/house/llama:8b:streamGenerateContent',
  '/v2/rerank',
  '/v1/nothing',
  '/api/v1/tokens',
  '/console//x',
  '/',
])('%s stays as it is', url => {
  expect(served(url)).toBe(url);
});

test.each([
  ['POST', '/chat/completions', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '/completions', '/v1/completions', 'ingress-chat'],
  ['POST', '/v1/chat/completions/', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '//v1//chat//completions?a=b', '/v1/chat/completions?a=b', 'ingress-chat'],
  ['POST', '/v1/v1/chat/completions', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '/openai/v1/chat/completions', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '/v1beta/openai/chat/completions', '/v1/chat/completions', 'ingress-chat'],
  ['POST', '/v1/v1/messages', '/v1/messages', 'ingress-messages'],
  ['POST', '/messages?beta=true', '/v1/messages?beta=true', 'ingress-messages'],
  ['POST', '/anthropic/v1/messages/count_tokens', '/v1/messages/count_tokens', 'ingress-messages'],
  ['POST', '/openai/responses?api-version=x', '/v1/responses?api-version=x', 'ingress-responses'],
  ['GET', '/responses/resp_1/input_items/', '/v1/responses/resp_1/input_items', 'ingress-responses'],
  ['POST', '/embeddings', '/v1/embeddings', 'ingress-embeddings'],
  ['POST', '/v2/rerank/', '/v2/rerank', 'ingress-embeddings'],
  ['POST', '/images/generations', '/v1/images/generations', 'ingress-images'],
  ['POST', '/v1/v1/audio/speech', '/v1/audio/speech', 'ingress-audio'],
  ['GET', '/v1/models/', '/v1/models', 'ingress-models'],
  ['GET', '/models', '/v1/models', 'ingress-models'],
  ['GET', '/v1beta//models', '/v1beta/models', 'ingress-models'],
  ['GET', '/v1/v1beta/models/m', '/v1beta/models/m', 'ingress-models'],
  ['GET', '/openai/v1/realtime?model=m', '/v1/realtime?model=m', 'realtime'],
  [
    'POST',
    '/v1/v1beta/models/m:generateContent',
    '/v1beta/models/m:generateContent',
    'ingress-generate-content',
  ],
  ['POST', '/v1beta/v1beta/models/m:countTokens', '/v1beta/models/m:countTokens', 'ingress-generate-content'],
  ['POST', '/models/m:generateContent', '/v1/models/m:generateContent', 'ingress-generate-content'],
  [
    'POST',
    '/v1beta/models//m:generateContent/',
    '/v1beta/models/m:generateContent',
    'ingress-generate-content',
  ],
  [
    'POST',
    '/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21',
    '/v1/chat/completions?api-version=2024-10-21&deployment=gpt-5',
    'ingress-chat',
  ],
  [
    'POST',
    '/openai/deployments/house/flux/images/generations',
    '/v1/images/generations?deployment=house%2Fflux',
    'ingress-images',
  ],
  [
    'POST',
    '//openai/deployments//a%2Fb//embeddings/',
    '/v1/embeddings?deployment=a%2Fb',
    'ingress-embeddings',
  ],
])('%s %s is served as %s, by %s', (method, url, expected, service) => {
  expect(served(url)).toBe(expected);
  expect(matchRoute(method, url.split('?')[0] as string)).toBe(service);
});

test.each([
  ['/v1/chat/completions', undefined],
  ['/v1/chat/completions?deployment=', undefined],
  ['/v1/deployment=x', undefined],
  ['/v1/chat/completions?api-version=1&deployment=a%2Fb', 'a/b'],
  ['/v1/chat/completions?deployment=a&deployment=b', 'b'],
])('the URL %s names the deployment %s', (url, deployment) => {
  expect(deploymentOf(url)).toBe(deployment);
});

test('a deployment whose percent-encoding is malformed keeps its name', () => {
  const url = served('/openai/deployments/a%E0%A4%A/completions');
  expect(deploymentOf(url)).toBe('a%E0%A4%A');
});

test('the paths have names for people', () => {
  expect(namesUnderV1).toEqual(
    expect.arrayContaining(['chat/completions', 'conversations', 'models', 'images']),
  );
  expect(namesUnderV1.filter(name => !/^[a-z/]+$/.test(name))).toEqual([]);
});
