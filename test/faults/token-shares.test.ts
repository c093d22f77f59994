import { once } from 'node:events';
import net from 'node:net';
import { startSimulator } from '@model-gateway/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let stack: Stack;
let greedy: string;
let victim: string;
/** Ends everything that a test left open. */
const closers: (() => void)[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
afterAll(() => simulator.close());

async function start(env: Record<string, string>): Promise<void> {
  const provider = { name: 'chat', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` };
  const models = [
    { name: 'bridged', targets: [{ provider: 'chat', model: 'sim-fast' }], realtime: 'upstream' as const },
    { name: '*', targets: [{ provider: 'chat', model: '*' }] },
  ];
  stack = await startStack({ catalog: { providers: [provider], models }, env });
  greedy = await stack.addToken({ id: 'greedy', project: 'greedy' });
  victim = await stack.addToken({ id: 'victim', project: 'victim' });
}

const brief = { model: 'sim-fast', messages: [{ role: 'user', content: 'x' }] };
/** Streams until its client disconnects. */
const endless = { ...brief, model: 'sim-t1000-i50ms', stream: true };

async function post(token: string, path: string, body: unknown) {
  const left = new AbortController();
  closers.push(() => left.abort());
  const response = await fetch(`${stack.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-api-key': token,
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: left.signal,
  });
  return { response, leave: () => left.abort() };
}

async function ask(token: string, body: unknown = brief): Promise<number> {
  const { response } = await post(token, 'chat/completions', body);
  await response.text();
  return response.status;
}

describe('the share of a token in open requests', () => {
  beforeAll(() => start({ GATEWAY_TOKEN_REQUESTS: '3' }));
  afterAll(() => stack.stop());

  test('open requests of one token are limited in every format; other tokens are served, and ended requests free their place', async () => {
    const streams = await Promise.all([1, 2, 3].map(() => post(greedy, 'chat/completions', endless)));
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200]);
    const message = 'This token has 3 open requests at this gateway process; wait until some have ended.';
    // The request is refused before its headers and body are read.
    for (const path of ['chat/completions', 'embeddings', 'responses/input_tokens', 'conversations']) {
      const { response } = await post(greedy, path, 'no JSON');
      expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 429, '1']);
      expect(await response.json()).toMatchObject({ error: { message, code: 'rate_limit_exceeded' } });
    }
    const messages = await post(greedy, 'messages', '{}');
    expect(messages.response.status).toBe(429);
    expect(await messages.response.json()).toMatchObject({ error: { type: 'rate_limit_error', message } });
    const google = await post(greedy, '../v1beta/models/sim-fast:generateContent', '{}');
    expect(await google.response.json()).toMatchObject({
      error: { code: 429, status: 'RESOURCE_EXHAUSTED' },
    });
    const kept = await fetch(`${stack.url}/v1/responses/resp_1`, {
      headers: { authorization: `Bearer ${greedy}` },
    });
    expect(kept.status).toBe(429);
    expect(await ask(victim)).toBe(200);
    streams[0]?.leave();
    await expect.poll(() => ask(greedy)).toBe(200);
    await stack.addToken({ id: 'greedy', project: 'greedy', revoked: true }, greedy);
    await Promise.all(streams.slice(1).map(({ response }) => response.text()));
    await stack.addToken({ id: 'greedy', project: 'greedy' }, greedy);
    const again = await Promise.all([1, 2, 3].map(() => post(greedy, 'chat/completions', endless)));
    expect(again.map(({ response }) => response.status)).toEqual([200, 200, 200]);
  });
});

/** Opens a WebSocket; returns `open` or the status of its refusal. */
async function connect(token: string, path: string, protocols: string[] = []) {
  const url = `${stack.url.replace('http', 'ws')}${path}`;
  const socket = new WebSocket(url, protocols, { headers: { authorization: `Bearer ${token}` } });
  closers.push(() => socket.terminate());
  const outcome = await new Promise<unknown>(resolve => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode));
    socket.on('error', resolve);
  });
  return { socket, outcome };
}

describe('the share of a token in open WebSockets', () => {
  beforeAll(() => start({ GATEWAY_TOKEN_SOCKETS: '2' }));
  afterAll(() => stack.stop());

  test('open WebSockets of one token are limited over all paths, however they end', async () => {
    const paths = ['/v1/realtime?model=sim-fast', '/v1/responses'];
    for (const path of paths) {
      for (let i = 0; i < 3; i++) {
        // Refused by the model's name and by the library: neither takes a place.
        expect((await connect(greedy, '/v1/realtime?model=')).outcome).toBe(400);
        expect((await connect(greedy, path, ['a', 'b', 'c'])).outcome).not.toBe(429);
        closers.pop()?.();
      }
    }
    await expect
      .poll(async () => {
        const open = await Promise.all(paths.map(path => connect(greedy, path)));
        if (open.every(({ outcome }) => outcome === 'open')) return 'open';
        for (const { socket } of open) socket.terminate();
        return open.map(({ outcome }) => outcome);
      })
      .toBe('open');
    for (const path of paths) {
      expect((await connect(greedy, path)).outcome).toBe(429);
      expect((await connect(victim, path)).outcome).toBe('open');
    }
    expect(await ask(greedy)).toBe(200);
    for (const close of closers.splice(0)) close();
    await expect.poll(async () => (await connect(greedy, paths[0] as string)).outcome).toBe('open');
  });
});

/** Begins a body of `size` bytes that never ends, and sends a byte now and then. */
async function dribble(token: string, path: string, size: number): Promise<net.Socket> {
  const { hostname, port } = new URL(stack.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  const head = [
    'Host: x',
    `Authorization: Bearer ${token}`,
    `x-api-key: ${token}`,
    'anthropic-version: 2023-06-01',
  ];
  const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];
  socket.write(`POST ${path} HTTP/1.1\r\n${[...head, ...chunked].join('\r\n')}\r\n\r\n`);
  const send = (text: string) =>
    new Promise<void>(resolve => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`, () => resolve()));
  await send(`{"model":"m","x":"${'0123456789 '.repeat(size / 11)}`);
  const timer = setInterval(() => void send('a'), 200);
  closers.push(() => {
    clearInterval(timer);
    socket.destroy();
  });
  return socket;
}

async function statusOf(socket: net.Socket): Promise<string> {
  const [data] = await once(socket, 'data');
  return String(data).slice(9, 12);
}

describe('the share of a token in bytes of bodies', () => {
  beforeAll(() =>
    start({ GATEWAY_BODY_BUDGET: '4000000', GATEWAY_TOKEN_BODY_BUDGET: '1000000', GATEWAY_BODY_TIME: '6s' }),
  );
  afterAll(() => stack.stop());

  const large = { ...brief, messages: [{ role: 'user', content: 'y'.repeat(700_000) }] };

  test('bodies of one token are limited in bytes, the requests that hold them end, and all bytes are released', async () => {
    const paths = ['/v1/chat/completions', '/v1/messages', '/v1beta/models/m:generateContent'];
    const slow = await Promise.all(paths.map(path => dribble(greedy, path, 300_000)));
    const statuses = Promise.all(slow.map(statusOf));
    const closed = slow.map(socket => once(socket, 'close'));
    // The response shows that all earlier bytes were read.
    expect(await ask(victim)).toBe(200);
    expect(await ask(greedy, large)).toBe(429);
    expect(await ask(victim, large)).toBe(200);
    expect(await statuses).toEqual(['408', '408', '408']);
    await Promise.all(closed);
    expect(await ask(greedy, large)).toBe(200);
  });

  test('a single body larger than the share is refused for its size', async () => {
    const { response } = await post(greedy, 'chat/completions', {
      ...brief,
      messages: [{ role: 'user', content: 'y'.repeat(1_000_000) }],
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      error: { message: 'The request body is larger than 1 MB.' },
    });
  });
});

/** Opens a WebSocket over a raw socket, and returns the received bytes. */
async function openLine(token: string, path: string) {
  const { hostname, port } = new URL(stack.url);
  const line = net.connect(Number(port), hostname);
  closers.push(() => line.destroy());
  line.on('error', () => {});
  const said: Buffer[] = [];
  const closed = new Promise(resolve => line.on('close', resolve));
  const key = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
  const asks = ['Host: x', `Authorization: Bearer ${token}`, 'Connection: upgrade', 'Upgrade: websocket'];
  line.write(`GET ${path} HTTP/1.1\r\n${[...asks, ...key].join('\r\n')}\r\n\r\n`);
  line.on('data', data => said.push(data));
  await expect.poll(() => Buffer.concat(said).toString('latin1')).toContain('HTTP/1.1 101');
  return { line, closed, said: () => Buffer.concat(said).toString('latin1') };
}

/** Text frames masked by zeros: a whole one, one without its end, and a fragment with more to follow. */
function frame(text: string, { missing = 0, last = true } = {}): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head.set([last ? 0x81 : 0x01, 0xff]);
  head.writeBigUInt64BE(BigInt(payload.length + missing), 2);
  return Buffer.concat([head, payload]);
}

/** Sends a request over a responses WebSocket; returns the type of the last event. */
async function askOver(token: string, input: string): Promise<unknown> {
  const { socket } = await connect(token, '/v1/responses');
  const outcome = new Promise<unknown>(resolve => {
    socket.on('message', data => {
      const { type, status } = JSON.parse(String(data));
      if (type === 'response.completed' || type === 'error') resolve(status ?? type);
    });
    socket.on('close', resolve);
  });
  socket.send(JSON.stringify({ type: 'response.create', model: 'sim-fast', store: false, input }));
  const result = await outcome;
  socket.terminate();
  return result;
}

describe('the share of a token in incomplete WebSocket messages', () => {
  beforeAll(() =>
    start({ GATEWAY_BODY_BUDGET: '4000000', GATEWAY_TOKEN_BODY_BUDGET: '1000000', GATEWAY_BODY_TIME: '6s' }),
  );
  afterAll(() => stack.stop());

  const paths = ['/v1/responses', '/v1/realtime?model=sim-fast'];
  const large = 'y'.repeat(700_000);

  test.each(paths)(
    'incomplete messages of %s take at most the share of their token',
    async path => {
      const lines = await Promise.all(Array.from({ length: 12 }, () => openLine(greedy, path)));
      // Half of the messages are fragments, the others frames without their end.
      for (const [i, { line }] of lines.entries())
        line.write(frame('z'.repeat(200_000), i % 2 ? { missing: 500_000 } : { last: false }));
      const cut = () => lines.filter(({ said }) => said().includes('rate_limit_exceeded'));
      await expect.poll(() => cut().length).toBeGreaterThanOrEqual(8);
      const [first] = cut();
      expect(first?.said()).toContain('requests hold 1 MB of request bodies at this gateway process');
      // The close frame: 1013.
      expect(first?.said()).toContain('\x03\xf5');
      expect(await askOver(victim, large)).toBe('response.completed');
      expect(await ask(victim, { ...brief, messages: [{ role: 'user', content: large }] })).toBe(200);
      for (const { line } of lines) line.destroy();
      await expect.poll(() => askOver(greedy, large)).toBe('response.completed');
    },
    20_000,
  );
});

describe('the share of a token in places at the workers', () => {
  beforeAll(() => start({ GATEWAY_CAPACITY: '5', GATEWAY_QUEUE_MS: '6000' }));
  afterAll(() => stack.stop());

  test('the last worker places are refused to a token that holds all others, and given to another at once', async () => {
    const streams = await Promise.all([1, 2, 3, 4].map(() => post(greedy, 'chat/completions', endless)));
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
    const { response } = await post(greedy, 'chat/completions', brief);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await response.json()).toMatchObject({
      error: {
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(/the rest is reserved for other tokens/),
      },
    });
    // Only a session at an upstream takes a place for as long as it is open.
    expect((await connect(greedy, '/v1/realtime?model=bridged')).outcome).toBe(429);
    const asked = performance.now();
    for (let i = 0; i < 10; i++) expect(await ask(victim)).toBe(200);
    expect(performance.now() - asked).toBeLessThan(5_000);
    // A waiting request gets the place of one that ends, which its worker reports with its next heartbeat.
    const waiting = ask(greedy);
    streams[0]?.leave();
    expect(await waiting).toBe(200);
  });
});

describe('the share of a token in room for bodies at the workers', () => {
  beforeAll(() =>
    start({
      GATEWAY_BODY_BUDGET: '4000000',
      GATEWAY_TOKEN_BODY_BUDGET: '4000000',
      GATEWAY_QUEUE_MS: '6000',
    }),
  );
  afterAll(() => stack.stop());

  const content = 'y'.repeat(1_200_000);
  const large = { ...brief, messages: [{ role: 'user', content }] };

  test('room for bodies beyond half is refused to one token, and given to another at once', async () => {
    const stream = await post(greedy, 'chat/completions', { ...endless, messages: large.messages });
    expect(stream.response.status).toBe(200);
    const { response } = await post(greedy, 'chat/completions', large);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringMatching(/half of the workers' memory for request bodies/) },
    });
    const asked = performance.now();
    expect(await ask(greedy)).toBe(200);
    expect(await ask(victim, large)).toBe(200);
    expect(performance.now() - asked).toBeLessThan(5_000);
    // A waiting request gets the room of one that ends, although a single one may be larger than the share.
    const waiting = ask(greedy, { ...brief, messages: [{ role: 'user', content: content + content }] });
    stream.leave();
    expect(await waiting).toBe(200);
  });
});
