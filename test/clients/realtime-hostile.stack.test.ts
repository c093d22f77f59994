import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { bearer, openRaw, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamSession } from './realtime-upstream.ts';

let upstream: ScriptedUpstream;
let stack: Stack;
const sockets: Socket[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  stack = await startStack({
    catalog: {
      providers: [{ name: 'up', kind: 'openai', baseUrl: upstream.baseUrl, apiKey: { value: 'sk-up' } }],
      models: [{ name: 'voice', targets: [{ provider: 'up', model: 'gpt-realtime' }] }],
    },
  });
});
afterAll(async () => {
  await stack.stop();
  await upstream.close();
});
afterEach(() => {
  vi.useRealTimers();
  upstream.fault = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Requests a session over a raw socket. */
function ask({ token = stack.token, version = '1.1' } = {}): Socket {
  const socket = connect({ port: Number(new URL(stack.url).port), host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  const lines = [
    `GET /v1/realtime?model=voice HTTP/${version}`,
    'host: gateway',
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version: 13',
    `authorization: Bearer ${token}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** A frame masked by zeros. */
function frame(opcode: number, text: string): Buffer {
  return Buffer.concat([
    Buffer.from([0x80 | opcode, 0x80 | text.length]),
    Buffer.alloc(4),
    Buffer.from(text),
  ]);
}

const latest = () => upstream.sessions.at(-1) as UpstreamSession;

test.each(['end', 'destroy'] as const)(
  'a client that disconnects before its session opens (%s) closes the upstream at once',
  async leave => {
    const asked = Promise.withResolvers<UpstreamSession>();
    upstream.fault = { open: session => asked.resolve(session) };
    const client = ask();
    const session = await asked.promise;
    client[leave]();
    // An upstream that opens first would be closed with 1000.
    expect((await session.closed).code).toBe(1006);
  },
);

test('an event that a client sends before its session opens is not lost', async () => {
  const asked = Promise.withResolvers<UpstreamSession>();
  upstream.fault = { open: session => asked.resolve(session) };
  const client = ask();
  client.write(frame(1, '{"type":"early"}'));
  const session = await asked.promise;
  session.socket.on('message', data => session.received.push(String(data)));
  await sleep(50);
  client.write(frame(1, '{"type":"later"}'));
  session.send({ type: 'session.created', session: {} });
  await vi.waitFor(() => expect(session.received).toEqual(['{"type":"early"}', '{"type":"later"}']));
});

test('a refused client is disconnected even if it leaves its end open', async () => {
  const client = ask({ token: 'no-such' });
  client.resume();
  await once(client, 'end');
  await sleep(50);
  // A disconnected client answers with a reset, which fails the next write.
  const failed = once(client, 'error');
  client.write('more');
  await sleep(50);
  client.write('more');
  const [error] = await failed;
  expect(error.code).toMatch(/ECONNRESET|EPIPE/);
});

test('a handshake over HTTP/1.0 is refused', async () => {
  const [answer] = await once(ask({ version: '1.0' }), 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
});

test('a client that floods the session with empty frames is slowed down', async () => {
  const client = ask();
  await once(client, 'data');
  latest().socket.pause();
  const many = Buffer.concat(Array(20_000).fill(frame(2, '')));
  // The socket buffers of the operating system hold many frames of this size.
  const most = 20_000_000;
  let sent = 0;
  for (let room = true; room && sent < most; sent += many.length)
    room =
      client.write(many) ||
      (await Promise.race([once(client, 'drain').then(() => true), sleep(1_000)])) === true;
  expect(sent).toBeLessThan(most);
});

test('a client that is sending a large message does not count as gone', async () => {
  const pingMs = 20_000;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { socket, closed } = await openRaw(url(stack.url, 'voice'), {
    ...bearer(stack.token),
    autoPong: false,
  });
  const line = (socket as unknown as { _socket: Socket })._socket;
  const event = Buffer.from(
    JSON.stringify({ type: 'conversation.item.create', item: { id: 'slow', content: [] } }),
  );
  line.write(Buffer.from([0x81, 0x80 | event.length, 0, 0, 0, 0]));
  for (let at = 0; at < event.length; at += 20) {
    line.write(event.subarray(at, at + 20));
    await sleep(30);
    vi.advanceTimersByTime(pingMs);
    await sleep(30);
  }
  await vi.waitFor(() => expect(latest().received).toMatchObject([{ item: { id: 'slow' } }]));
  vi.advanceTimersByTime(pingMs);
  await sleep(50);
  vi.advanceTimersByTime(pingMs);
  expect((await closed).code).toBe(1006);
});
