import { BoundSocket } from 'node:net';
import { listen } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { ClientPort } from './client-port.ts';

const inUse = (port: number) =>
  `port ${port} of 127.0.0.1 is in use; set PORT to another one, or to 0 for any that is free`;

test.each([1, 2])(
  'with %d fronts, a port in use is reported with its number and what to do',
  async fronts => {
    const server = await listen(() => {}, '127.0.0.1', 0);
    const port = Number(new URL(server.url).port);
    await expect(ClientPort.bind('127.0.0.1', port, fronts)).rejects.toThrow(inUse(port));
    await server.close();
    using bound = await ClientPort.bind('127.0.0.1', port, fronts);
    expect(bound.port).toBe(port);
  },
);

test('one front inherits the socket', async () => {
  using bound = await ClientPort.bind('localhost', 0, 1);
  expect(bound.ofFront).toEqual({ inherited: [expect.any(Number)], env: { LISTEN_FD: '4' } });
});

test('of several fronts, each listens on the port that is held, but no front of another gateway', async ({
  skip,
}) => {
  if (process.platform === 'darwin') skip('macOS does not spread connections over fronts');
  using bound = await ClientPort.bind('127.0.0.1', 0, 2);
  const env = { HOST: '127.0.0.1', PORT: String(bound.port), REUSE_PORT: '1' };
  expect([bound.fronts, bound.ofFront]).toEqual([2, { inherited: [], env }]);
  const listening = [1, 2].map(() => listen(() => {}, env.HOST, bound.port, { reusePort: true }));
  const servers = await Promise.all(listening);
  await expect(ClientPort.bind('127.0.0.1', bound.port, 2)).rejects.toThrow(inUse(bound.port));
  for (const server of servers) await server.close();
});

test('a system that does not spread connections gets one front', async () => {
  using bound = await ClientPort.bind('127.0.0.1', 0, 2, ({ reusePort, ...address }) => {
    // As libuv does on macOS.
    if (reusePort) throw Object.assign(new Error('bind ENOTSUP'), { code: 'ENOTSUP' });
    return new BoundSocket(address);
  });
  expect([bound.fronts, bound.ofFront.env]).toEqual([1, { LISTEN_FD: '4' }]);
});

test('port 0 is any free port, a host name is resolved, and an address of another machine is a problem', async () => {
  using bound = await ClientPort.bind('localhost', 0, 1);
  expect(bound.port).toBeGreaterThan(0);
  await expect(ClientPort.bind('192.0.2.1', 0, 1)).rejects.toThrow('cannot listen on 192.0.2.1, port 0');
});
