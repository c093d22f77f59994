import { listen } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { checkPort } from './free-port.ts';

test('a port in use is named, with what to do', async () => {
  const server = await listen(() => {}, '127.0.0.1', 0);
  const port = Number(new URL(server.url).port);
  await expect(checkPort('127.0.0.1', port)).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use; set PORT to another one, or to 0 for any that is free`,
  );
  await server.close();
  await checkPort('127.0.0.1', port);
});

test('any port is free; an address of another machine is a problem', async () => {
  await checkPort('127.0.0.1', 0);
  await expect(checkPort('192.0.2.1', 0)).rejects.toThrow('cannot listen on 192.0.2.1, port 0');
});
