import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { standstill } from '../stack/standstill.ts';
import { bearer, openRaw, url } from './realtime-client.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamSession } from './realtime-upstream.ts';

let upstream: ScriptedUpstream;
let stack: Stack;
const sockets: Socket[] = [];
beforeAll(async () => {
  upstream = await startUpstream();
  stack = await startStack({ catalog: catalog() });
});
const catalog = () => ({
  providers: [{ name: 'up', kind: 'openai', baseUrl: upstream.baseUrl, apiKey: { value: 'sk-up' } }],
  models: [{ name: 'voice', targets: [{ provider: 'up', model: 'gpt-realtime' }] }],
});
afterAll(async () => {
  await stack.stop();
  await upstream.close();
});
afterEach(() => {
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
  client.write(frame(1, '{"type":"later"}'));
  session.send({ type: 'session.created', session: {} });
  await vi.waitFor(() => expect(session.received).toEqual(['{"type":"early"}', '{"type":"later"}']));
});

test('a refused client is disconnected even if it leaves its end open', async () => {
  const client = ask({ token: 'no-such' });
  client.resume();
  await once(client, 'end');
  // The system answers what the client writes then with a reset, which fails a later write.
  let failure: NodeJS.ErrnoException | undefined;
  client.on('error', error => {
    failure = error;
  });
  await vi.waitFor(() => {
    client.write('more');
    expect(failure?.code).toMatch(/ECONNRESET|EPIPE/);
  });
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
  const write = () => {
    while (client.bytesWritten < most && client.write(many));
  };
  client.on('drain', write);
  write();
  expect(await standstill(() => client.bytesWritten)).toBeLessThan(most);
  // What was read of the client takes a minute to be handled, and its end comes after it.
  latest().socket.terminate();
});

test('a client that is sending a large message does not count as gone', async () => {
  const pingMs = 20_000;
  const time = new PassingTime();
  const timed = await startStack({ catalog: catalog(), env: { GATEWAY_BODY_RATE: '0' }, time });
  onTestFinished(() => timed.stop());
  const { socket, closed, event } = await openRaw(url(timed.url, 'voice'), {
    ...bearer(timed.token),
    autoPong: false,
  });
  await event('session.created');
  const line = (socket as unknown as { _socket: Socket })._socket;
  const message = Buffer.from(
    JSON.stringify({ type: 'conversation.item.create', item: { id: 'slow', content: [] } }),
  );
  line.write(Buffer.from([0x81, 0x80 | message.length, 0, 0, 0, 0]));
  for (let at = 0; at < message.length; at += 20) {
    line.write(message.subarray(at, at + 20));
    await time.pass(pingMs, 500);
  }
  await vi.waitFor(() => expect(latest().received).toMatchObject([{ item: { id: 'slow' } }]));
  await time.pass(2 * pingMs, 500);
  expect((await closed).code).toBe(1006);
});
