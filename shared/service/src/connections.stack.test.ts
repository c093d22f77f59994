import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { Certificate } from './certificate.ts';
import { type ConnectionLimits, connectionLimits } from './connection-limits.ts';
import { Connections } from './connections.ts';
import { type Listening, type ListenOptions, listen } from './listen.ts';
import type { Log } from './log.ts';
import { Registry } from './metrics/index.ts';
import { RefusedConnections, refusalLingerMs } from './refused-connections.ts';
import { TrustedProxies } from './request-headers.ts';
import { selfSigned } from './testing/self-signed.ts';

const files = selfSigned();
const ca = readFileSync(files.cert);
afterAll(() => files[Symbol.dispose]());

const attacker = '127.0.0.2';
const victim = '127.0.0.3';
const limits = { perAddress: 3, total: 100 };

const clock = new ManualClock();
let listening: Listening;
let connections: Connections;
let metrics: Registry;
let lines: object[];
const open: Socket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await listening.close();
});

async function serve(options: ListenOptions & { limits?: ConnectionLimits; trusted?: string[] } = {}) {
  metrics = new Registry();
  lines = [];
  const log = { warn: (line: object) => void lines.push(line) } as unknown as Log;
  const of = options.limits ?? limits;
  const refused = new RefusedConnections(of, metrics, log, clock);
  connections = new Connections(of, new TrustedProxies(options.trusted), refused);
  listening = await listen((_request, response) => response.end('hello'), '127.0.0.1', 0, {
    ...options,
    connections,
    clock,
  });
  return Number(new URL(listening.url).port);
}

/** Opens a connection from a loopback address. */
async function dial(port: number, localAddress: string, bytes = ''): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true });
  socket.on('error', () => {});
  open.push(socket);
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

/** Opens idle connections, by default up to the limit. */
async function fill(port: number, localAddress: string, count = limits.perAddress): Promise<Socket[]> {
  const before = connections.total;
  const sockets = await Promise.all(Array.from({ length: count }, () => dial(port, localAddress)));
  await vi.waitFor(() => expect(connections.total).toBe(before + count));
  return sockets;
}

async function get(port: number, localAddress: string, agent?: Agent) {
  const sent = request({ host: '127.0.0.1', port, localAddress, agent: agent ?? false }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

const refusedCount = async (limit: string) =>
  Number(
    new RegExp(`^gateway_connections_refused_total{limit="${limit}"} (\\d+)$`, 'm').exec(
      await metrics.metrics(),
    )?.[1] ?? 0,
  );

// Only Linux has the addresses of 127.0.0.0/8 without configuration.
const onLinux = describe.skipIf(process.platform !== 'linux');

onLinux('connections of one address (Linux only)', () => {
  test('over the limit get 429 at once, and other addresses are not affected', async () => {
    const port = await serve();
    await fill(port, attacker);
    for (let more = 0; more < 5; more++) {
      const { status, headers, body } = await get(port, attacker);
      expect([status, headers['retry-after'], headers.connection]).toEqual([429, '5', 'close']);
      expect(JSON.parse(body)).toMatchObject({
        error: { message: expect.stringContaining('3 open'), code: 'too_many_connections' },
      });
      expect(await get(port, victim)).toMatchObject({ status: 200, body: 'hello' });
    }
    expect(await refusedCount('address')).toBe(5);
    expect(lines).toEqual([{ client: attacker, limit: 'address', count: 1 }]);
  });

  test('that are refused are closed, whatever they send', async () => {
    const port = await serve();
    await fill(port, attacker);
    const flood = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9000000\r\n\r\n${'x'.repeat(500_000)}`;
    // These clients never close their end.
    await Promise.all(Array.from({ length: 150 }, () => dial(port, attacker, flood)));
    const opened = () => new Promise(tell => listening.server.getConnections((_, count) => tell(count)));
    await vi.waitFor(async () => expect(await refusedCount('address')).toBe(150));
    await clock.advance(refusalLingerMs);
    await vi.waitFor(async () => expect(await opened()).toBe(limits.perAddress));
    expect(connections.total).toBe(limits.perAddress);
    expect((await get(port, victim)).status).toBe(200);
  });

  test('are subtracted from the count once, however they end', async () => {
    const port = await serve();
    for (const end of [
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.destroy(),
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.write('no HTTP at all\r\n\r\n'),
      (socket: Socket) => socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
    ]) {
      const sockets = await fill(port, attacker);
      for (const socket of sockets) end(socket.resume());
      await vi.waitFor(() => expect(connections.total).toBe(0));
      for (const socket of sockets) socket.destroy();
    }
    await fill(port, attacker);
    expect((await get(port, attacker)).status).toBe(429);
  });

  test('count once while they are kept alive', async () => {
    const port = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < 10; i++) expect((await get(port, attacker, agent)).status).toBe(200);
    expect(connections.total).toBe(1);
    agent.destroy();
  });

  test('are not counted for a trusted proxy, nor without a limit', async () => {
    const trusting = await serve({ trusted: [attacker] });
    await fill(trusting, attacker, 10);
    expect((await get(trusting, attacker)).status).toBe(200);
    await listening.close();
    const unlimited = await serve({ limits: { perAddress: 0, total: 100 } });
    await fill(unlimited, attacker, 10);
    expect((await get(unlimited, attacker)).status).toBe(200);
  });

  test('that become WebSockets count until they close', async () => {
    const port = await serve({
      upgrade(_request, socket) {
        socket.on('error', () => socket.destroy());
        socket.on('end', () => socket.destroy());
        socket.resume().write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      },
    });
    const upgrade = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const sockets = await Promise.all([1, 2, 3].map(() => dial(port, attacker, upgrade)));
    await Promise.all(sockets.map(socket => once(socket, 'data')));
    expect((await get(port, attacker)).status).toBe(429);
    sockets[0]?.destroy();
    await vi.waitFor(() => expect(connections.total).toBe(2));
    expect((await get(port, attacker)).status).toBe(200);
  });

  test('over TLS are refused before the handshake, and count until they close', async () => {
    const port = await serve({ certificate: new Certificate(files) });
    const ask = async (localAddress: string, agent?: SecureAgent) => {
      const options = { host: '127.0.0.1', port, localAddress, ca, agent: agent ?? false };
      const [answer] = await once(secureRequest(options).end(), 'response');
      return text(answer);
    };
    // Idle connections and active ones count.
    const silent = await fill(port, attacker, 2);
    const agent = new SecureAgent({ keepAlive: true });
    expect(await ask(attacker, agent)).toBe('hello');
    await expect(ask(attacker)).rejects.toThrow(/disconnected|reset/i);
    expect(await ask(victim)).toBe('hello');
    agent.destroy();
    for (const socket of silent) socket.destroy();
    await vi.waitFor(() => expect(connections.total).toBe(0));
    expect(await ask(attacker)).toBe('hello');
  });
});

onLinux('connections of a process (Linux only)', () => {
  test('over the limit get 503, including those of trusted proxies', async () => {
    const port = await serve({ limits: { perAddress: 3, total: 4 }, trusted: [victim] });
    await fill(port, victim, 4);
    const { status, headers, body } = await get(port, attacker);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(body).error.message).toContain('4 open connections');
    expect((await get(port, victim)).status).toBe(503);
    expect(await refusedCount('total')).toBe(2);
  });

  test('are limited by its files, and to 20,000 by default', () => {
    const of = (files: number, GATEWAY_CONNECTIONS?: number) =>
      connectionLimits({ GATEWAY_ADDRESS_CONNECTIONS: 5, GATEWAY_CONNECTIONS }, files);
    expect(of(1_048_576)).toEqual({ perAddress: 5, total: 20_000 });
    expect(of(Number.POSITIVE_INFINITY).total).toBe(20_000);
    expect(of(1_024).total).toBe(768);
    expect(of(20_000, 19_000).total).toBe(19_000);
    expect(() => of(1_024, 1_024)).toThrow(/^GATEWAY_CONNECTIONS: .* 1024 files/);
    expect(connectionLimits({ GATEWAY_ADDRESS_CONNECTIONS: 5 }).total).toBeLessThanOrEqual(20_000);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a drain waits for admitted connections, and not for refused ones (only Linux has all of 127.0.0.0/8)',
  async () => {
    const port = await serve();
    const [first] = await fill(port, attacker);
    const refused = await dial(port, attacker);
    await once(refused.resume(), 'end');
    let isDrained = false;
    const drained = listening.drain().then(() => {
      isDrained = true;
    });
    await clock.advance(refusalLingerMs);
    expect(isDrained).toBe(false);
    first?.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await text(first as Socket)).toMatch(/connection: close.*hello$/is);
    for (const socket of open) socket.destroy();
    await drained;
    await vi.waitFor(() => expect(connections.total).toBe(0));
  },
);
