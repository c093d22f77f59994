import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { cleanUp, Launched, type ReadyFile } from './launched.ts';

const proxy = '127.0.0.9';
const limit = 40;

// Only Linux has all addresses of 127.0.0.0/8 by default.
describe.skipIf(process.platform !== 'linux')('clients from several addresses (Linux alone)', () => {
  let gateway: Launched;
  let ready: ReadyFile;
  beforeAll(async () => {
    const env = { GATEWAY_TRUSTED_PROXIES: proxy, GATEWAY_ADDRESS_CONNECTIONS: String(limit) };
    gateway = new Launched({ env });
    ready = await gateway.ready();
  });
  afterAll(cleanUp);

  async function ask(path: string, localAddress: string, forwarded?: string, body?: object) {
    const isAdmin = path.startsWith('/api');
    const asked = request(ready.baseUrl + path, {
      method: body ? 'POST' : 'GET',
      localAddress,
      agent: false,
      headers: {
        authorization: `Bearer ${isAdmin ? ready.adminToken : ready.token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(forwarded && { 'x-forwarded-for': forwarded }),
      },
    }).end(body && JSON.stringify(body));
    const [answer] = await once(asked, 'response');
    await text(answer);
    return { status: answer.statusCode, requestId: answer.headers['x-request-id'] as string };
  }

  /** The client's address in each log line of a request or path. */
  function loggedClients(of: { requestId?: string; endpoint?: string }): Promise<string[]> {
    return vi.waitFor(() => {
      const lines = gateway.output
        .split('\n')
        .flatMap(line => (line.startsWith('{') ? [JSON.parse(line)] : []));
      const found = lines.filter(line =>
        Object.entries(of).every(([name, value]) => line[name] === value && line.status !== undefined),
      );
      expect(found).not.toEqual([]);
      return found.map(line => line.client);
    });
  }

  const question = { model: 'sim-fast', messages: [{ role: 'user', content: 'Hi' }] };

  test.each([
    ['/v1/chat/completions', question],
    ['/v1/responses/resp_none', undefined],
    ['/api/v1/tokens', undefined],
  ])(
    "a request to %s is logged with the client's address, which only a trusted proxy may set",
    async (path, body) => {
      const forged = await ask(path, '127.0.0.5', '203.0.113.7', body);
      expect(await loggedClients({ requestId: forged.requestId })).toEqual(['127.0.0.5']);
      const { requestId } = await ask(path, proxy, '198.51.100.1, 203.0.113.7', body);
      expect(await loggedClients({ requestId })).toEqual(['203.0.113.7']);
    },
  );

  test.each([
    ['/v1/responses', { type: 'response.create', model: 'sim-fast', input: 'Hi', store: false }],
    ['/v1/realtime', undefined],
  ])("a WebSocket at %s is logged with the client's address", async (path, message) => {
    const socket = new WebSocket(`${ready.baseUrl.replace('http', 'ws')}${path}?model=sim-fast`, {
      localAddress: proxy,
      headers: { authorization: `Bearer ${ready.token}`, 'x-forwarded-for': '1.1.1.1, 203.0.113.8' },
    });
    await once(socket, 'open');
    if (message) {
      socket.send(JSON.stringify(message));
      await new Promise<void>(resolve =>
        socket.on('message', data => String(data).includes('"response.completed"') && resolve()),
      );
    }
    socket.close();
    expect(await loggedClients({ endpoint: path })).toEqual(['203.0.113.8']);
  });

  test('an address with the maximum of connections is refused more, and other addresses are not', async () => {
    const { port } = new URL(ready.baseUrl);
    const held = await Promise.all(Array.from({ length: limit }, () => silent(Number(port), '127.0.0.2')));
    await vi.waitFor(async () => expect((await ask('/healthz', '127.0.0.2')).status).toBe(429));
    for (let i = 0; i < 20; i++)
      expect((await ask('/v1/chat/completions', '127.0.0.3', undefined, question)).status).toBe(200);
    expect((await ask('/api/v1/tokens', '127.0.0.3')).status).toBe(200);
    const health = ready.processes.find(({ name }) => name === 'front')?.healthUrl as string;
    await vi.waitFor(async () => {
      const metrics = await (await fetch(health.replace('/healthz', '/metrics'))).text();
      expect(metrics).toMatch(/^gateway_connections_refused_total{limit="address"} [1-9]/m);
      expect(metrics).toMatch(new RegExp(`^gateway_connections ${limit}$`, 'm'));
    });
    // Log lines are written together, every 100 ms.
    await vi.waitFor(() =>
      expect(gateway.output).toContain('"client":"127.0.0.2","limit":"address","count":1'),
    );
    for (const socket of held) socket.destroy();
    await vi.waitFor(async () => expect((await ask('/healthz', '127.0.0.2')).status).toBe(200));
  });
});

async function silent(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('an invalid list of trusted proxies stops the start', async () => {
  const gateway = new Launched({ env: { GATEWAY_TRUSTED_PROXIES: '10.0.0.1, my-proxy' } });
  expect(await gateway.exit()).toBe(1);
  expect(gateway.output).toMatch(/^npm start: GATEWAY_TRUSTED_PROXIES: 'my-proxy' is neither/);
  await cleanUp();
});
