import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { copyOfProject, usersPath } from './checkout.ts';
import { cleanUp, Launched } from './launched.ts';

const checkout = copyOfProject();
afterAll(cleanUp);

/** Starts a gateway that cannot start, and returns what it says. Nothing may be installed for it. */
async function refusal(env: Record<string, string>): Promise<string> {
  const gateway = new Launched({ by: 'npm', checkout, env: { PATH: usersPath(), ...env } });
  expect(await gateway.exit()).not.toBe(0);
  for (const made of ['node_modules', '.cache', 'dist']) expect(existsSync(join(checkout, made))).toBe(false);
  return gateway.output;
}

test('a port that is taken is said before anything is fetched', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  try {
    expect(await refusal({ PORT: String(port) })).toContain(
      `npm start: port ${port} of 127.0.0.1 is in use; set PORT to another one, or to 0 for any that is free`,
    );
  } finally {
    server.close();
  }
});

test('a nats-server that is too old or missing is said before anything is fetched', async () => {
  expect(await refusal({ NATS_SERVER_BIN: '/nowhere/nats-server' })).toContain(
    'npm start: NATS_SERVER_BIN: /nowhere/nats-server is not installed',
  );
});

test.skipIf(process.getuid?.() === 0)('a folder without rights is said (not for root)', async () => {
  expect(await refusal({ GATEWAY_DATA: '/gateway' })).toContain(
    'npm start: / cannot be written by this user',
  );
});
