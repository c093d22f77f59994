import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { ManualClock } from '@model-gateway/clock/testing';
import { Client, type Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { type ConnectProxy, closed, listening, startConnectProxy } from './testing/connect-proxy.ts';
import { privateCa } from './testing/private-ca.ts';
import { closeAfterMs, UpstreamConnections } from './upstream-connections.ts';

const ca = privateCa('house.internal');

/** The property of undici's clients that tells whether one is connected. */
const connected = Object.getOwnPropertySymbols(Client.prototype).find(
  ({ description }) => description === 'connected',
) as never;

let upstream: Server;
let upstreamUrl: string;
let proxy: ConnectProxy;
const clock = new ManualClock();
const connections: UpstreamConnections[] = [];
const connectionsOf = (env: ConstructorParameters<typeof UpstreamConnections>[0] = {}) => {
  const made = new UpstreamConnections(env, clock);
  connections.push(made);
  return made;
};

beforeAll(async () => {
  const options = { key: ca.pem('server.key'), cert: ca.pem('server.pem'), ca: ca.pem('ca.pem') };
  upstream = createHttpsServer(
    { ...options, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(`hello ${subject.CN}`);
    },
  );
  new WebSocketServer({ server: upstream }).on('connection', socket => socket.send('open'));
  const port = await listening(upstream);
  upstreamUrl = `https://127.0.0.1:${port}`;
  proxy = await startConnectProxy(port);
});

afterAll(async () => {
  await Promise.all(connections.map(each => each.destroy()));
  closed(upstream);
  proxy.close();
  ca[Symbol.dispose]();
});

async function ask(dispatcher: Dispatcher | undefined, origin = upstreamUrl): Promise<string> {
  if (!dispatcher) throw new Error('no way');
  const { body } = await dispatcher.request({ origin, path: '/', method: 'GET' });
  return body.text();
}

const tls = () => ({
  ...{ ca: ca.pem('ca.pem'), cert: ca.pem('client.pem'), key: ca.pem('client.key') },
  serverName: 'house.internal',
});

test('a private CA, a client certificate and the name of the server hold for a way, and for no other', async () => {
  const all = connectionsOf();
  expect(await ask(all.of('house', { tls: tls() })?.dispatcher)).toBe('hello client');
  await expect(ask(all.usual)).rejects.toThrow();
  const { serverName: _, ...unnamed } = tls();
  await expect(ask(all.of('unnamed', { tls: unnamed })?.dispatcher)).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

test('requests and WebSockets go through the proxy of their provider, with its credential', async () => {
  const withUser = proxy.url.replace('http://', 'http://user:p%40ss@');
  const via = connectionsOf().of('house', { proxy: withUser, tls: tls() });
  proxy.asked.length = 0;
  expect(await ask(via?.dispatcher, 'https://far.example')).toBe('hello client');
  const socket = new WebSocket('wss://far.example/realtime', { agent: via?.agent });
  const first = await new Promise((resolve, reject) => {
    socket.on('message', data => resolve(String(data)));
    socket.on('error', reject);
  });
  socket.terminate();
  expect(first).toBe('open');
  const credential = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(proxy.asked).toEqual([`far.example:443 ${credential}`, `far.example:443 ${credential}`]);
});

test('the proxy of the environment is taken, but for the machine itself, NO_PROXY and providers without one', async () => {
  const all = connectionsOf({ HTTPS_PROXY: proxy.url, NO_PROXY: 'near.example' });
  proxy.asked.length = 0;
  const via = all.of('house', { tls: tls() });
  expect(await ask(via?.dispatcher, 'https://far.example')).toBe('hello client');
  expect(await ask(via?.dispatcher)).toBe('hello client');
  expect(proxy.asked).toEqual(['far.example:443']);
  await expect(ask(via?.dispatcher, 'https://near.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  await expect(
    ask(all.of('direct', { proxy: 'none' })?.dispatcher, 'https://far.invalid'),
  ).rejects.toMatchObject({
    code: 'ENOTFOUND',
  });
  expect(proxy.asked).toHaveLength(1);
});

test('providers with the same settings share a way, which is closed once none uses it', async () => {
  const all = connectionsOf();
  const one = all.of('one', { tls: tls() });
  expect(all.of('two', { tls: tls() })).toBe(one);
  expect(all.of('one', undefined)).toBeUndefined();
  expect(await ask(one?.dispatcher)).toBe('hello client');
  all.releaseIf(user => user === 'two');
  // A request that has looked it up may not be sent yet.
  await clock.advance(closeAfterMs - 1);
  expect(await ask(one?.dispatcher)).toBe('hello client');
  await clock.advance(1);
  await expect(ask(one?.dispatcher)).rejects.toThrow(/closed|destroyed/i);
});

test('the end of a stream looks at the connections of no other stream', async () => {
  const streams = 40;
  const server = createServer((_request, response) => void response.writeHead(200).write('x'));
  const origin = `http://127.0.0.1:${await listening(server)}`;
  const { usual } = connectionsOf();
  const asked = Array.from({ length: streams }, () => usual.request({ origin, path: '/', method: 'GET' }));
  const ends = (await Promise.all(asked)).map(({ body }) => once(body, 'error'));
  const looked = vi.spyOn(Client.prototype, connected, 'get');
  closed(server);
  await Promise.all(ends);
  // undici's own pool looks at all of them for each one that ends.
  expect(looked.mock.calls.length).toBeLessThan(3 * streams);
  looked.mockRestore();
});

test('a way for public addresses alone connects to no other, whatever its name', async () => {
  const via = connectionsOf().of('house', { publicOnly: true, tls: tls() });
  const { port } = new URL(upstreamUrl);
  await expect(ask(via?.dispatcher, `https://localhost:${port}`)).rejects.toMatchObject({
    code: 'PRIVATE_ADDRESS',
  });
});
