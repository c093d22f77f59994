import { BoundSocket } from 'node:net';
import { listen } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { ClientPort } from './client-port.ts';

test.each([
  [1, false],
  [2, false],
  [2, true],
])(
  'with %d fronts, a port in use is reported with its number and what to do (shared: %s)',
  async (fronts, reusePort) => {
    const server = await listen(() => {}, '127.0.0.1', 0, { reusePort });
    const port = Number(new URL(server.url).port);
    await expect(ClientPort.bind('127.0.0.1', port, fronts)).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use; set PORT to another one, or to 0 for any that is free`,
    );
    await server.close();
    using bound = await ClientPort.bind('127.0.0.1', port, fronts);
    expect(bound.port).toBe(port);
  },
);

test('one front inherits the socket; of several, each listens on the port that is held', async () => {
  using one = await ClientPort.bind('localhost', 0, 1);
  expect(one.ofFront).toEqual({ inherited: [expect.any(Number)], env: { LISTEN_FD: '4' } });
  using several = await ClientPort.bind('127.0.0.1', 0, 2);
  const env = { HOST: '127.0.0.1', PORT: String(several.port), REUSE_PORT: '1' };
  expect([several.fronts, several.ofFront]).toEqual([2, { inherited: [], env }]);
  const servers = [1, 2].map(() => listen(() => {}, env.HOST, several.port, { reusePort: true }));
  for (const server of await Promise.all(servers)) await server.close();
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
