import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { selfSigned } from '@model-gateway/service/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { cleanUp, Launched } from './launched.ts';

const files = selfSigned();
afterAll(() => files[Symbol.dispose]());
afterEach(cleanUp);

test('the public port uses TLS, and the internal ports do not', async () => {
  const gateway = new Launched({ env: { GATEWAY_TLS_CERT: files.cert, GATEWAY_TLS_KEY: files.key } });
  const { baseUrl, consoleUrl, token, processes } = await gateway.ready();
  expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:/);
  expect(consoleUrl).toBe(`${baseUrl}/console`);
  // The banner follows the ready file.
  await expect.poll(() => gateway.output).toContain(baseUrl);
  const asking = request(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    ca: readFileSync(files.cert),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  const messages = [{ role: 'user', content: 'Hi' }];
  asking.end(JSON.stringify({ model: 'sim-fast', stream: true, messages }));
  const answer = await new Promise<NodeJS.ReadableStream>(resolve => asking.on('response', resolve));
  expect(await text(answer)).toMatch(/data: \[DONE\]\n\n$/);
  for (const { healthUrl } of processes) expect((await fetch(healthUrl)).status).toBe(200);
  gateway.signal('SIGTERM', 'process');
  expect(await gateway.exit()).toBe(0);
});

/** The subject of the certificate that a new connection gets. */
async function subjectAt({ hostname, port }: URL): Promise<string | string[] | undefined> {
  const socket = connect({ port: Number(port), host: hostname, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return subject.CN;
}

test('every front uses a renewed certificate', async () => {
  using current = selfSigned();
  using next = selfSigned('next');
  const gateway = new Launched({
    env: { GATEWAY_TLS_CERT: current.cert, GATEWAY_TLS_KEY: current.key, GATEWAY_FRONTS: '2' },
  });
  const { baseUrl, processes } = await gateway.ready();
  const subjects = () => Promise.all(Array.from({ length: 20 }, () => subjectAt(new URL(baseUrl))));
  expect(new Set(await subjects())).toEqual(new Set(['localhost']));
  copyFileSync(next.cert, current.cert);
  copyFileSync(next.key, current.key);
  const fronts = processes.filter(({ name }) => name.startsWith('front'));
  for (const { pid } of fronts) {
    const renewed = new RegExp(`"pid":${pid},.*the certificate has changed"`);
    await expect.poll(() => gateway.output, { timeout: 20_000 }).toMatch(renewed);
  }
  expect(new Set(await subjects())).toEqual(new Set(['next']));
});

test('a certificate without its key stops the start', async () => {
  const gateway = new Launched({ env: { GATEWAY_TLS_CERT: files.cert } });
  expect(await gateway.exit()).toBe(1);
  expect(gateway.output).toBe('npm start: GATEWAY_TLS_KEY: is required if GATEWAY_TLS_CERT is set\n');
});
