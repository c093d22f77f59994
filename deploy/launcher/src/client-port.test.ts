import { listen } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { bindClientPort } from './client-port.ts';

test('a port in use is reported with its number and what to do', async () => {
  const server = await listen(() => {}, '127.0.0.1', 0);
  const port = Number(new URL(server.url).port);
  await expect(bindClientPort('127.0.0.1', port)).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use; set PORT to another one, or to 0 for any that is free`,
  );
  await server.close();
  using bound = await bindClientPort('127.0.0.1', port);
  expect(bound.address()).toEqual({ address: '127.0.0.1', family: 'IPv4', port });
});

test('port 0 is any free port, a host name is resolved, and an address of another machine is a problem', async () => {
  using bound = await bindClientPort('localhost', 0);
  expect(bound.address().port).toBeGreaterThan(0);
  await expect(bindClientPort('192.0.2.1', 0)).rejects.toThrow('cannot listen on 192.0.2.1, port 0');
});
