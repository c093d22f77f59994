import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Finding } from '@model-gateway/admin-api';
import { freePort } from '@model-gateway/bus/testing';
import { selfSigned } from '@model-gateway/service/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminToken, type TestControl } from '../../testing/control.ts';
import { runGateway } from '../../testing/run-gateway.ts';
import { Stage } from '../../testing/stage.ts';
import { findingsText } from './finding.ts';
import { checkGateway, checkIngress } from './gateway.ts';
import { checkCertificate } from './tls.ts';

let stage: Stage;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
});
afterAll(() => stage.clear());

const doctor = (env: Record<string, string> = {}, ...options: string[]) =>
  runGateway(['doctor', ...options], {
    ...{ GATEWAY_URL: control.url, GATEWAY_ADMIN_TOKEN: adminToken, GATEWAY_LOGIN_FILE: '/nowhere/logins' },
    ...env,
  });

describe('gateway doctor', () => {
  test('shows what it finds, with advice, and fails for an admin token that can be guessed', async () => {
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([1, '']);
    expect(out).toMatch(/^✓ gateway +http:\/\/127\.0\.0\.1:\d+\/ answers in \d+ ms$/m);
    expect(out).toMatch(/^✓ nats +NATS 2\./m);
    expect(out).toMatch(/^✗ settings +GATEWAY_ADMIN_TOKEN can be guessed\n +→ Set a random one/m);
    expect(out).toMatch(/^! ingress +the data plane was not checked: this URL is that of control itself$/m);
    expect(out).toMatch(/\n\n\d+ failed, \d+ warnings?, \d+ ok\.\n$/);
  });

  test('prints the same as JSON', async () => {
    const { code, out } = await doctor({}, '--json');
    const { checks } = JSON.parse(out) as { checks: Finding[] };
    expect(code).toBe(1);
    expect(checks).toContainEqual(
      expect.objectContaining({
        check: 'credential',
        status: 'ok',
        found: 'signed in as admin token',
        advice: null,
      }),
    );
    expect(checks.some(({ check }) => check === 'database')).toBe(true);
  });

  test('says that a credential is refused, or that none is there, and checks the rest', async () => {
    const refused = await doctor({ GATEWAY_ADMIN_TOKEN: 'wrong' });
    expect(refused.out).toMatch(/^✗ credential +Incorrect admin token provided\.$/m);
    expect(refused.out).not.toContain('nats');
    const none = await doctor({ GATEWAY_ADMIN_TOKEN: '', GATEWAY_DATA: '/nowhere' });
    expect(none.out).toMatch(/^✗ credential +no admin token: /m);
  });

  test('checks no more where nothing answers', async () => {
    const { code, out } = await doctor({ GATEWAY_URL: `http://127.0.0.1:${await freePort()}` });
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ gateway +http:\/\/127\.0\.0\.1:\d+\/ does not answer: .*ECONNREFUSED/);
  });
});

describe('the certificate', () => {
  async function served(name: string, days: number): Promise<Finding[]> {
    using files = selfSigned(name, days);
    const server = createServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      return await checkCertificate(new URL(`https://127.0.0.1:${port}`));
    } finally {
      server.close();
    }
  }

  test('that has ended is found', async () => {
    expect(await served('localhost', -1)).toEqual([
      {
        ...{ check: 'certificate', status: 'failed' },
        found: expect.stringMatching(/^the certificate ended at \d{4}-/),
        advice: 'Renew it: clients refuse the gateway.',
      },
    ]);
  });

  test('that ends soon and that nobody trusts is found', async () => {
    expect((await served('localhost', 2)).map(({ status, found }) => [status, found])).toEqual([
      ['warning', expect.stringMatching(/^the certificate ends in 1 days/)],
      ['failed', expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ]);
  });

  test('of a port that speaks no TLS is found', async () => {
    const url = new URL(control.url.replace('http:', 'https:'));
    expect(await checkCertificate(url)).toMatchObject([
      { status: 'failed', found: expect.stringContaining('no TLS handshake') },
    ]);
    expect(await checkCertificate(new URL(control.url))).toEqual([]);
  });
});

test.each([
  [-60_000, 'ahead of'],
  [60_000, 'behind'],
])('a clock of the gateway that differs by %d ms is found', async (difference, side) => {
  const server = createPlain((_request, response) => {
    response.setHeader('date', new Date(Date.now() + difference).toUTCString());
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await checkGateway(new URL(`http://127.0.0.1:${port}`));
  server.close();
  expect(found).toContainEqual({
    ...{ check: 'clock', status: 'warning', advice: expect.stringContaining('NTP') },
    found: expect.stringMatching(`^the clock of this machine is (5\\d|60|61) s ${side} that of the gateway$`),
  });
});

test('a part of the data plane that does not answer is found', async () => {
  const server = createPlain((request, response) => {
    response.statusCode = request.url?.startsWith('/v1/messages') ? 503 : 401;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await checkIngress(new URL(`http://127.0.0.1:${port}`));
  server.close();
  expect(found).toEqual([
    expect.objectContaining({ status: 'ok', found: expect.stringMatching(/^these answer: chat, generate/) }),
    {
      ...{ check: 'ingress', status: 'failed' },
      found: expect.stringMatching(/^messages responds with status 503 /),
      advice: expect.stringContaining('ingress-messages (or the front) runs'),
    },
  ]);
});

test('what a process says cannot move the cursor of the terminal', () => {
  const text = findingsText([
    { check: 'processes', status: 'failed', found: 'a\u001b[2J', advice: 'b\u0007' },
  ]);
  expect(text).toBe('✗ processes  a [2J\n             → b \n\n1 failed, 0 warnings, 0 ok.');
});
