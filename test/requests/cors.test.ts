import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: StartedSimulator;
let listed: Stack;
let open: Stack;
let off: Stack;

const page = 'https://app.example.com';
const foreign = 'https://other.example.com';

beforeAll(async () => {
  simulator = await startSimulator();
  const catalog = {
    providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` }],
    models: [{ name: 'sim-t5', targets: [{ provider: 'sim', model: 'sim-t5' }] }],
  };
  listed = await startStack({ catalog, env: { GATEWAY_CORS_ORIGINS: `http://127.0.0.1:3000, ${page}` } });
  open = await startStack({ catalog, env: { GATEWAY_CORS_ORIGINS: '*' } });
  off = await startStack({ catalog });
});
afterAll(async () => {
  for (const stack of [listed, open, off]) await stack?.stop();
  await simulator?.close();
});

const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter(name => name.startsWith('access-control-')).map(name => name.slice(15));
const ask = (stack: Stack, method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(stack.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const preflight = (stack: Stack, path: string, origin: string) =>
  ask(stack, 'OPTIONS', path, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type,x-stainless-os',
  });

/** A path of each service, and of none. */
const paths = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/responses/resp_1',
  '/v1beta/models/sim-t5:generateContent',
  '/v1/embeddings',
  '/v1/images/generations',
  '/v1/audio/speech',
  '/v1/models',
  '/v1beta/models/sim-t5',
  '/v1/realtime/client_secrets',
  '/v1/nothing',
];

describe.each(paths)('%s', path => {
  test('answers the preflight of a listed origin alone', async () => {
    const answer = await preflight(listed, path, page);
    expect([answer.status, Object.fromEntries(answer.headers)]).toMatchObject([
      204,
      {
        'access-control-allow-origin': page,
        'access-control-allow-methods': expect.stringContaining('DELETE'),
        'access-control-allow-headers': 'authorization,content-type,x-stainless-os',
        'access-control-max-age': '7200',
        vary: 'origin',
      },
    ]);
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    const refused = await preflight(listed, path, foreign);
    expect([corsOf(refused), refused.headers.get('vary')]).toEqual([[], 'origin']);
  });

  test('shows an error to a page', async () => {
    for (const [stack, allowed] of [
      [listed, page],
      [open, '*'],
    ] as const) {
      const answer = await ask(stack, 'POST', path, { origin: page, authorization: 'Bearer nope' }, {});
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('access-control-allow-origin')).toBe(allowed);
      expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after');
    }
  });

  test('has no CORS if it is off, nor for a client that is no page', async () => {
    const answers = [
      await preflight(off, path, page),
      await ask(off, 'POST', path, { origin: page }, {}),
      await ask(open, 'POST', path, {}, {}),
    ];
    for (const answer of answers) expect([path, corsOf(answer)]).toEqual([path, []]);
  });
});

test('answers and streams have the headers, with those of the gateway exposed', async () => {
  for (const stream of [false, true]) {
    const body = { model: 'sim-t5', messages: [{ role: 'user', content: 'Hi' }], stream };
    const headers = { origin: page, authorization: `Bearer ${listed.token}` };
    const answer = await ask(listed, 'POST', '/v1/chat/completions', headers, body);
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, page]);
    const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
    for (const name of answer.headers.keys())
      if (/^x-(gateway|request|ratelimit)/.test(name)) expect(exposed).toContain(name);
    await answer.text();
  }
});

test('OPTIONS without a preflight is answered as before', async () => {
  for (const stack of [listed, off]) {
    const answer = await ask(stack, 'OPTIONS', '/v1/chat/completions', { origin: page });
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'POST']);
  }
});

test('the admin API has no CORS', async () => {
  for (const path of ['/api/v1/tokens', '/openapi.json'])
    expect([path, corsOf(await preflight(open, path, page))]).toEqual([path, []]);
});
