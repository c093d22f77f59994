import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: StartedSimulator;
let stack: Stack;
/** Two tokens: one that is not valid in a query, and one that is. */
let queryKey: string;
const lines: string[] = [];
/** A messages upstream that fails mid-stream, and the requests that it received. */
let upstream: Server;
const asked: { path?: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
  upstream = createServer(async (request, response) => {
    asked.push({ path: request.url, headers: request.headers, body: await text(request) });
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"no"}}');
  });
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const own = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const sim = (model: string) => [{ provider: 'sim', model }];
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` },
        { name: 'own', kind: 'openai-compatible', baseUrl: own },
        { name: 'gemini', kind: 'gemini', baseUrl: simulator.url, apiKey: { value: 'upstream-key' } },
      ],
      models: [
        { name: 'sim-fast', targets: sim('sim-fast') },
        { name: 'house/llama:8b', targets: sim('sim-fast') },
        { name: 'own', targets: [{ provider: 'own', model: 'm' }] },
        { name: 'fault-*', targets: sim('fault-*') },
        { name: 'gemini/*', targets: [{ provider: 'gemini', model: '*' }] },
      ],
    },
    log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
  });
  queryKey = await stack.addToken({ id: 'query' });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
  await simulator?.close();
});

const hi = { contents: [{ parts: [{ text: 'Hi' }] }] };
const key = () => ({ 'x-goog-api-key': stack.token });

async function post(path: string, headers: Record<string, string> = key(), body: unknown = hi) {
  const response = await fetch(stack.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const sent = await response.text();
  return { status: response.status, headers: response.headers, text: sent, json: () => JSON.parse(sent) };
}

const whole = '/v1beta/models/sim-fast:generateContent';
const stream = '/v1beta/models/sim-fast:streamGenerateContent';

describe('the credential of generate-content', () => {
  test('a credential is read from the header, the key of the query or a Bearer token, whichever is a token', async () => {
    expect((await post(whole)).status).toBe(200);
    expect((await post(`${whole}?key=${queryKey}`, {})).status).toBe(200);
    expect((await post(whole, { authorization: `Bearer ${stack.token}` })).status).toBe(200);
    expect((await post(`${whole}?key=nope`, key())).status).toBe(200);
    expect((await post(`${whole}?key=nope`, { authorization: `Bearer ${stack.token}` })).status).toBe(200);
    expect((await post(`${whole}?key=nope`, { authorization: 'Bearer other' })).status).toBe(400);
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['', {}, 403, 'PERMISSION_DENIED'],
    ['', { 'x-goog-api-key': 'nope' }, 400, 'INVALID_ARGUMENT'],
    ['?key=nope', {}, 400, 'INVALID_ARGUMENT'],
    ['', { authorization: 'Bearer nope' }, 401, 'UNAUTHENTICATED'],
  ])('a wrong or missing credential is refused: %j %j is a %i', async (query, headers, code, status) => {
    const refused = await post(whole + query, headers);
    expect(refused.status).toBe(code);
    expect(refused.json()).toMatchObject({ error: { code, status } });
  });

  test('a credential in the query reaches no log, metric or upstream', async () => {
    lines.length = 0;
    const models = ['own', 'nope', 'gemini/sim-fast'].map(name => whole.replace('sim-fast', name));
    for (const path of [whole, stream, ...models]) await post(`${path}?alt=json&key=${queryKey}`, {});
    await post(`/v1beta/tunedModels/x:generateContent?key=${queryKey}`, {});
    await post(`/v1beta/models/m:countTokens?key=${queryKey}`, {}, '{');
    await expect.poll(() => lines.filter(line => line.includes('"endpoint"')).length).toBeGreaterThan(4);
    expect(lines.join('')).toContain('"token":"query"');
    expect(lines.join('')).not.toContain(queryKey);
    expect(await stack.metrics()).toContain('streamGenerateContent');
    expect(await stack.metrics()).not.toContain(queryKey);
    expect(asked.length).toBeGreaterThan(0);
    const upstreams = JSON.stringify([asked, simulator.requests]);
    expect(upstreams).not.toContain(queryKey);
    expect(upstreams).not.toContain(stack.token);
  });
});

describe('the paths of generate-content', () => {
  test.each([
    '/v1/models/sim-fast:generateContent',
    '/v1alpha/models/sim-fast:generateContent',
    '/v1beta/models/house/llama:8b:generateContent',
    '/v1beta/models/house%2Fllama%3A8b:generateContent?fields=candidates&prettyPrint=false',
  ])('the path %s is served', async path => {
    expect((await post(path)).json()).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  test.each([
    ['/v1beta/tunedModels/x:generateContent', 404],
    ['/v1beta/models/sim-fast:unheardOf', 404],
    ['/v1beta/models/nope:generateContent', 404],
    [`${whole}?alt=proto`, 400],
    ['/v1/models/%E0%A4%A:generateContent', 400],
    ['/v1beta/files', 404],
    ['/upload/v1beta/files', 404],
    ['/v1beta/models', 405],
  ])('the path %s is refused in the format: %i', async (path, code) => {
    const refused = await post(path);
    expect(refused.status).toBe(code);
    expect(refused.json()).toMatchObject({ error: { code, message: expect.stringMatching(/./) } });
    expect(refused.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('an unsupported method is a 405 that names the supported one', async () => {
    const refused = await fetch(stack.url + whole, { headers: key() });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await refused.json()).toMatchObject({ error: { code: 405, message: expect.any(String) } });
    expect((await post('/v1beta/models')).headers.get('allow')).toBe('GET');
  });

  test('a response names the requested model', async () => {
    const { headers } = await post('/v1beta/models/house%2Fllama%3A8b:generateContent');
    expect(headers.get('x-gateway-model')).toBe('house/llama:8b');
  });
});

describe('a generate-content stream', () => {
  test('a stream with alt=sse contains only events', async () => {
    const { text, headers } = await post(`${stream}?alt=sse`);
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = text.split('\n\n');
    expect(events.pop()).toBe('');
    for (const event of events) expect(JSON.parse(event.replace(/^data: /, ''))).toHaveProperty('candidates');
  });

  test.each(['', '?alt=json', '?$alt=json;enum-encoding=int'])(
    'a stream with the query %j is one array',
    async query => {
      const answer = await post(stream + query);
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect(answer.text).toMatch(/\]$/);
      const chunks = answer.json();
      expect(chunks.length).toBeGreaterThan(2);
      expect(chunks.at(-1)).toMatchObject({
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { totalTokenCount: expect.any(Number) },
      });
    },
  );

  const broken = '/v1beta/models/fault-error:streamGenerateContent';
  test('a stream that breaks ends with an error, as events and as an array', async () => {
    const { text } = await post(`${broken}?alt=sse`);
    expect(text.split('\n\n').at(-2)).toMatch(/^data: \{"error":\{"code":[45]\d\d,/);
    const chunks = (await post(broken)).json();
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.at(-1)).toMatchObject({ error: { code: expect.any(Number), status: expect.any(String) } });
    expect(text).not.toContain('finishReason');
    expect(JSON.stringify(chunks)).not.toContain('finishReason');
  });

  test('a stream that is refused before its start is an error with its status, in an array if the response is one', async () => {
    const limited = '/v1beta/models/fault-429:streamGenerateContent';
    const events = await post(`${limited}?alt=sse`);
    expect(events.status).toBe(429);
    expect(events.json()).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '7s' }] },
    });
    expect(events.headers.get('retry-after')).toBe('7');
    const array = await post(limited);
    expect(array.status).toBe(429);
    expect(array.json()).toMatchObject([{ error: { code: 429 } }]);
  });
});

test.each([
  ['{', 'not valid JSON'],
  ['null', 'must be a JSON object'],
  ['[]', 'must be a JSON object'],
  ['{"contents":1e999}', 'contents'],
  ['{}', 'contents is not specified'],
])('the body %s is a 400', async (body, message) => {
  const refused = await post(whole, key(), body);
  expect(refused.status).toBe(400);
  expect(refused.json()).toMatchObject({
    error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) },
  });
});

describe('generate-content with an upstream of the same format', () => {
  const path = (method: string, model = 'sim-fast') => `/v1beta/models/gemini/${model}:${method}`;
  const last = () => simulator.requests.at(-1);

  test('an upstream of the same format gets the body unchanged in order and spelling', async () => {
    const body =
      '{"contents": [{"parts":[{"text":"Hi"}]}],"generation_config": {"max_output_tokens":5},"labels":{"a":"1"}}';
    const answer = await post(`${path('generateContent')}?key=${queryKey}&fields=x`, {}, body);
    expect(answer.status).toBe(200);
    expect(answer.json()).toMatchObject({
      modelVersion: 'sim-fast',
      candidates: [{ finishReason: 'MAX_TOKENS' }],
    });
    expect(last()?.body).toBe(body);
    expect(last()?.path).not.toContain(queryKey);
  });

  test('an upstream of the same format gets enums as numbers unchanged', async () => {
    const body = JSON.stringify({
      ...hi,
      safetySettings: [{ category: 8, threshold: 4 }],
      generationConfig: { responseModalities: [1], thinkingConfig: { thinkingLevel: 3 } },
      toolConfig: { functionCallingConfig: { mode: 1 } },
    });
    const answer = await post(`${path('generateContent')}?$alt=json;enum-encoding=int`, key(), body);
    expect(answer.json()).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
    expect(last()?.body).toBe(body);
  });

  test('an upstream of the same format streams as events and as an array, and a broken stream is an error in each', async () => {
    const events = await post(`${path('streamGenerateContent')}?alt=sse`);
    const datas = events.text.split('\n\n').slice(0, -1);
    const chunks = (await post(path('streamGenerateContent'))).json();
    expect(datas.map(data => Object.keys(JSON.parse(data.slice(6))))).toEqual(chunks.map(Object.keys));
    expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
    const broken = (await post(path('streamGenerateContent', 'fault-error'))).json();
    expect(broken.at(-1)).toMatchObject({ error: { code: expect.any(Number) } });
    const cut = await post(`${path('streamGenerateContent', 'fault-truncate')}?alt=sse`);
    expect(cut.text.split('\n\n').at(-2)).toContain('"error":');
  });

  test('an upstream of the same format does not get the signatures of other vendors', async () => {
    const thoughtSignature = Buffer.from('am:EqQB').toString('base64');
    const contents = [
      { role: 'user', parts: [{ text: 'Weather?' }] },
      { role: 'model', parts: [{ functionCall: { id: 'toolu_1', name: 'f', args: {} }, thoughtSignature }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'toolu_1', name: 'f', response: { output: '4 C' } } }],
      },
    ];
    const answer = await post(path('generateContent', 'gemini-3-pro'), key(), { contents });
    expect(answer.json()).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
    expect(last()?.body).not.toContain(thoughtSignature);
  });
});
