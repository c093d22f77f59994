import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { clientAddress, type Listening, listen, TrustedProxies } from '@model-gateway/service';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Edge, startEdge, whyNoEdge } from './testing/start-edge.ts';

const name = 'the edge as HAProxy runs it';

const balancer = '127.0.0.8';
const proxy = '127.0.0.9';
const settings = {
  GATEWAY_ADDRESS_CONNECTIONS: '4',
  GATEWAY_CONNECTIONS: '500',
  GATEWAY_PROXY_PROTOCOL: balancer,
  GATEWAY_TRUSTED_PROXIES: `${proxy},192.0.2.0/24`,
};

describe.skipIf(whyNoEdge)(whyNoEdge ? `${name} (skipped: ${whyNoEdge})` : name, () => {
  let service: Listening;
  let edge: Edge;
  const open: Socket[] = [];

  beforeAll(async () => {
    // Like services in Compose, this one trusts the edge and the proxies that the edge trusts.
    const client = clientAddress(new TrustedProxies(['127.0.0.1', proxy]));
    service = await listen((request, response) => response.end(client(request)), '127.0.0.1', 0);
  });
  afterAll(() => service.close());

  beforeEach(async () => {
    edge = await startEdge(Number(new URL(service.url).port), settings);
    await vi.waitFor(async () => expect(await get('127.0.0.7')).toMatch(/^HTTP\/1.1 200/), {
      timeout: 60_000,
    });
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    edge.process.kill();
    await once(edge.process, 'exit');
  });

  async function dial(localAddress: string, before: string | Buffer = ''): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: edge.port, localAddress });
    socket.on('error', () => {});
    open.push(socket);
    await once(socket, 'connect');
    socket.write(before);
    return socket;
  }

  async function get(localAddress: string, headers: string[] = [], before: string | Buffer = '') {
    const socket = await dial(localAddress, before);
    socket.write(
      `${['GET /v1/models HTTP/1.1', 'host: x', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`,
    );
    return text(socket);
  }

  const forged = ['x-forwarded-for: 203.0.113.7'];
  /** A header of the PROXY protocol, version 2, for TCP over IPv6 from `2001:db8::7`. */
  const proxyHeader = Buffer.from(
    `0d0a0d0a000d0a515549540a2121002420010db8000000000000000000000007${'00'.repeat(15)}010fa00050`,
    'hex',
  );

  test.each<[string, string, string[], string | Buffer, string]>([
    ['a client', '127.0.0.5', [], '', '127.0.0.5'],
    ['a client that forges a header', '127.0.0.5', forged, '', '127.0.0.5'],
    ['a client that forges several', '127.0.0.5', [...forged, `X-Forwarded-For: ${proxy}`], '', '127.0.0.5'],
    ['a client of a trusted proxy', proxy, ['x-forwarded-for: 6.6.6.6, 203.0.113.7'], '', '203.0.113.7'],
    [
      'a balancer, version 1',
      balancer,
      forged,
      'PROXY TCP4 198.51.100.4 127.0.0.1 4000 80\r\n',
      '198.51.100.4',
    ],
    ['a balancer, version 2', balancer, forged, proxyHeader, '2001:db8::7'],
  ])('services get the address of %s', async (_, localAddress, headers, before, address) => {
    const answer = await get(localAddress, headers, before);
    expect(answer.split('\r\n\r\n').at(-1), edge.log).toContain(address);
  });

  test('a client that uses the PROXY protocol without permission is refused', async () => {
    const answer = await get('127.0.0.5', [], 'PROXY TCP4 198.51.100.4 127.0.0.1 4000 80\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400/);
  });

  test('an address over its connection limit gets 429 until it closes some; others and trusted proxies do not', async () => {
    const held = await Promise.all([1, 2, 3, 4].map(() => dial('127.0.0.2')));
    // The edge counts a connection some time after the client has opened it.
    await vi.waitFor(async () => expect(await get('127.0.0.2')).toMatch(/^HTTP\/1.1 429 /));
    for (let i = 0; i < 5; i++) {
      const answer = await get('127.0.0.2');
      expect(answer).toMatch(/^HTTP\/1.1 429 /);
      expect(answer).toMatch(/^retry-after: 5\r$/im);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(JSON.parse(answer.split('\r\n\r\n')[1] as string).error.code).toBe('too_many_connections');
    }
    expect(await get('127.0.0.3')).toMatch(/^HTTP\/1.1 200/);
    await Promise.all(Array.from({ length: 10 }, () => dial(proxy)));
    expect(await get(proxy)).toMatch(/^HTTP\/1.1 200/);
    // The log has one line a minute.
    expect(edge.log.match(/127\.0\.0\.2 GET \/v1\/models 429 .* refused \d+$/gm)).toHaveLength(1);
    const metrics = await (await fetch(`http://127.0.0.1:${edge.operatorPort}/metrics`)).text();
    const denied = /^haproxy_frontend_requests_denied_total\{proxy="public"\} (\d+)/m.exec(metrics)?.[1];
    expect(Number(denied)).toBeGreaterThanOrEqual(6);
    for (const socket of held) socket.destroy();
    await vi.waitFor(async () => expect(await get('127.0.0.2')).toMatch(/^HTTP\/1.1 200/));
  });

  test('connections far over the limit are closed, and clients behind a load balancer are counted separately', async () => {
    const sockets = await Promise.all(Array.from({ length: 150 }, () => dial('127.0.0.2')));
    const gone = () => sockets.filter(socket => socket.resume().closed).length;
    await vi.waitFor(() => expect(gone()).toBe(46));
    const from = (client: string) => `PROXY TCP4 ${client} 127.0.0.1 4000 80\r\n`;
    await Promise.all([1, 2, 3, 4].map(() => dial(balancer, from('198.51.100.4'))));
    await vi.waitFor(async () =>
      expect(await get(balancer, [], from('198.51.100.4'))).toMatch(/^HTTP\/1.1 429/),
    );
    expect(await get(balancer, [], from('198.51.100.5'))).toMatch(/^HTTP\/1.1 200/);
  });

  test('a stopping edge serves until its grace period ends, and asks clients to close their connections', async () => {
    const going = await startEdge(Number(new URL(service.url).port), { ...settings, GATEWAY_GRACE: '8s' });
    const ask = async (socket: Socket) => {
      socket.write('GET /v1/models HTTP/1.1\r\nhost: x\r\n\r\n');
      const [answer] = await once(socket, 'data');
      return String(answer);
    };
    const reach = async () => {
      const socket = connect({ host: '127.0.0.1', port: going.port, localAddress: '127.0.0.7' });
      open.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    const kept = await vi.waitFor(reach);
    expect(await ask(kept)).not.toMatch(/connection: close/i);
    going.process.kill('SIGUSR1');
    await vi.waitFor(async () => expect(await ask(await reach())).toMatch(/connection: close/i));
    const closed = once(kept, 'close');
    expect(await ask(kept)).toMatch(/^HTTP\/1.1 200.*connection: close/is);
    await closed;
    await once(going.process, 'exit');
  });

  test('a stopping edge opens WebSockets until its grace period ends', async () => {
    const opening = createServer().on('upgrade', (_request, socket) => {
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
      );
    });
    await once(opening.listen(0, '127.0.0.1'), 'listening');
    const { port } = opening.address() as AddressInfo;
    const going = await startEdge(port, { ...settings, GATEWAY_GRACE: '8s' });
    const upgrade = async () => {
      const socket = connect({ host: '127.0.0.1', port: going.port, localAddress: '127.0.0.7' });
      open.push(socket);
      await once(socket, 'connect');
      socket.write(
        'GET /v1/realtime HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n',
      );
      return text(socket);
    };
    await vi.waitFor(async () => expect(await upgrade()).toMatch(/^HTTP\/1.1 101/));
    going.process.kill('SIGUSR1');
    expect(await upgrade()).toMatch(/^HTTP\/1.1 101.*connection: upgrade/is);
    await once(going.process, 'exit');
    opening.close();
  });

  test.each([
    [
      'GATEWAY_TRUSTED_PROXIES',
      '10.0.0.1,edge.example',
      "'edge.example' is not a valid IPv4 or IPv6 address",
    ],
    ['GATEWAY_ADDRESS_CONNECTIONS', 'many', "GATEWAY_ADDRESS_CONNECTIONS: 'many' is not a whole number"],
    ['GATEWAY_CONNECTIONS', '0', "GATEWAY_CONNECTIONS: '0' is not between"],
    ['GATEWAY_DRAIN', '1.5m', "GATEWAY_DRAIN: '1.5m' is not a whole number with its unit"],
    ['GATEWAY_GRACE', '15', "GATEWAY_GRACE: '15' is not a whole number with its unit"],
  ])('the edge does not start with an invalid %s', async (setting, value, message) => {
    const wrong = await startEdge(1, { ...settings, [setting]: value });
    const [code] = await once(wrong.process, 'close');
    expect(code).not.toBe(0);
    expect(wrong.log).toContain(message);
  });
});
