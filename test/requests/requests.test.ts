import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let gateway: Simulated;
const limit = 1_000_000;

beforeAll(async () => {
  gateway = await startSimulated(
    url => ({
      providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${url}/v1` }],
      models: [
        { name: 'any/*', targets: [{ provider: 'sim', model: '*' }] },
        { name: 'sim-fast', targets: [{ provider: 'sim', model: 'sim-fast' }] },
      ],
    }),
    { env: { GATEWAY_BODY_LIMIT: String(limit) } },
  );
});

afterAll(() => gateway?.stop());

const valid = JSON.stringify({
  model: 'sim-fast',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 2,
});

async function send(init: RequestInit, path = '/v1/chat/completions') {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${gateway.stack.token}`,
    ...(init.headers as Record<string, string>),
  };
  const response = await fetch(gateway.stack.url + path, { method: 'POST', ...init, headers });
  const body = (await response.json()) as { error?: Record<string, unknown>; object?: string };
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  expect(response.headers.get('content-type')).toBe('application/json');
  if (!response.ok)
    expect(Object.keys(body.error ?? {}).sort()).toEqual(['code', 'message', 'param', 'type']);
  return { status: response.status, headers: response.headers, ...body };
}

describe('a body that is not a JSON object', () => {
  test.each([
    '',
    'null',
    '[]',
    '1e999',
    '"text"',
    'true',
    '{',
    '{"model":}',
    `${valid}x`,
    '\ufeff{}',
    '[[[[[[[[',
  ])('the body %j is a 400', async body => {
    expect(await send({ body })).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
  });

  test('a body that is not UTF-8 is a 400', async () => {
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect(await send({ body })).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('UTF-8') },
    });
  });

  test('a body that nests too deep is a 400, closed or not', async () => {
    const within = (depth: number) => valid.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`);
    const refused = { status: 400, error: { message: expect.stringContaining('500 levels') } };
    expect(await send({ body: '['.repeat(500_000) })).toMatchObject(refused);
    expect(await send({ body: within(50_000) })).toMatchObject(refused);
    expect((await send({ body: within(499) })).status).toBe(200);
  });

  test('a body with a repeated key is a 400, also if one is escaped', async () => {
    const twice = valid.replace('{', '{"mod\\u0065l":"other",');
    expect(await send({ body: twice })).toMatchObject({ status: 400, error: { param: 'model' } });
  });

  test('a body may have keys that JavaScript gives a meaning', async () => {
    expect((await send({ body: valid.replace('{', '{"__proto__":{"x":1},"constructor":1,') })).status).toBe(
      200,
    );
  });
});

describe('compressed bodies', () => {
  test.each([
    ['gzip', gzipSync(valid)],
    ['deflate', deflateSync(valid)],
    ['br', brotliCompressSync(valid)],
    ['zstd', zstdCompressSync(valid)],
  ])('a body compressed with %s is read', async (encoding, body) => {
    expect((await send({ body, headers: { 'content-encoding': encoding } })).status).toBe(200);
  });

  test('a compressed body is measured after decompression', async () => {
    const body = gzipSync(Buffer.alloc(limit * 20, ' '));
    expect(await send({ body, headers: { 'content-encoding': 'gzip' } })).toMatchObject({
      status: 413,
      error: { code: 'request_too_large' },
    });
  });

  test('a body with invalid or unknown compression is a 400', async () => {
    expect((await send({ body: valid, headers: { 'content-encoding': 'gzip' } })).status).toBe(400);
    expect((await send({ body: valid, headers: { 'content-encoding': 'magic' } })).status).toBe(400);
  });
});

describe('a body over the limit', () => {
  const large = valid.replace('Hi', 'x'.repeat(limit));

  test('a body whose announced length is over the limit is a 413', async () => {
    expect(await send({ body: large })).toMatchObject({ status: 413, error: { code: 'request_too_large' } });
  });

  test('a chunked body over the limit is a 413', async () => {
    const body = new Blob([large]).stream();
    expect((await send({ body, duplex: 'half' } as RequestInit)).status).toBe(413);
  });
});

describe('routes', () => {
  test('an unknown path is a 404 in the chat format', async () => {
    expect(await send({ body: valid }, '/v1/nothing')).toMatchObject({
      status: 404,
      error: { code: 'unknown_url' },
    });
  });

  test('another method on a known path is a 405 with Allow', async () => {
    const { status, headers } = await send({ method: 'GET' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
  });
});

test('OPTIONS returns the methods of a path', async () => {
  const response = await fetch(`${gateway.stack.url}/v1/chat/completions`, { method: 'OPTIONS' });
  expect(response.status).toBe(204);
  expect(response.headers.get('allow')).toBe('POST');
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
});

test('a model name that no catalog could contain is refused at any length, without harm', async () => {
  for (const model of ['any/\ud800', `any/${'a'.repeat(300)}`, `any/${'a'.repeat(900_000)}`]) {
    const { status } = await send({ body: valid.replace('sim-fast', JSON.stringify(model).slice(1, -1)) });
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(500);
  }
  expect((await send({ body: valid })).status).toBe(200);
});

test('the credential is checked before the body', async () => {
  expect((await send({ body: 'null', headers: { authorization: 'Bearer nope' } })).status).toBe(401);
  expect((await send({ body: 'null', headers: { authorization: 'Basic nope' } })).status).toBe(401);
});

test('a request with a length and chunks, which two servers could read differently, is refused', async () => {
  const { hostname, port } = new URL(gateway.stack.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.stack.token}\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  );
  let text = '';
  for await (const data of socket) text += data;
  expect(text).toMatch(/^HTTP\/1.1 400/);
});

test('an aborted upload leaves nothing behind', async () => {
  const { hostname, port } = new URL(gateway.stack.url);
  const before = gateway.simulator.requests.length;
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${gateway.stack.token}\r\ncontent-length: 400\r\n\r\n{"mod`,
  );
  const running = /gateway_requests_running(\{.*\})? 1\n/;
  await expect.poll(gateway.stack.metrics).toMatch(running);
  socket.destroy();
  await expect.poll(gateway.stack.metrics).not.toMatch(running);
  expect(gateway.simulator.requests.length).toBe(before);
  expect((await send({ body: valid })).status).toBe(200);
});
