import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayError } from '@model-gateway/canonical';
import { testRoute } from '@model-gateway/canonical/testing/envelope';
import { Catalog, PoolSealer, recordKey } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ProviderProblems } from './provider-problems.ts';
import { closed, listening } from './testing/connect-proxy.ts';
import { UpstreamConnections } from './upstream-connections.ts';
import { Upstreams } from './upstreams.ts';

const folder = mkdtempSync(join(tmpdir(), 'account-'));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
const asked: string[] = [];
// Time stands still while the SDK is loaded, which takes long on a busy machine. It knows no other time than the system's.
const clock = new ManualClock(Date.now());
const connections = new UpstreamConnections({}, clock);
let services: Server;
let port: number;

beforeAll(async () => {
  services = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url === '/moved') return response.writeHead(307, { location: '/token' }).end();
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ token_type: 'Bearer', access_token: 'given', expires_in: 3600 }));
  });
  port = await listening(services);
});
afterAll(async () => {
  closed(services);
  await connections.destroy();
  rmSync(folder, { recursive: true });
});
beforeEach(() => void asked.splice(0));

/** The headers of a request to Vertex by the key of an account, of a provider of the API or of gateway.yaml. */
async function sign(tokenUri: string, ofApi: boolean): Promise<Record<string, string>> {
  const file = join(folder, 'key.json');
  const account = { type: 'service_account', project_id: 'p', client_email: 'a@p.iam.gserviceaccount.com' };
  writeFileSync(file, JSON.stringify({ ...account, private_key, token_uri: tokenUri }));
  const catalog = new Catalog();
  catalog.put(recordKey('provider', 'p'), {
    ...{ name: 'p', kind: 'vertex', options: { location: 'global' }, apiKey: { file }, headers: {} },
    ...{ pool: 'default', version: 1, ...(ofApi && { ofApi }) },
  });
  const options = { clock, connections, forbidsPrivate: true };
  const upstreams = new Upstreams(catalog, new PoolSealer(new Uint8Array(32)), options);
  const route = testRoute({ key: 'default', format: 'generate-content' });
  const { connection } = await upstreams.of(route, 'generate');
  const url = connection.url('/models/gemini:generateContent', 'gemini');
  return connection.sign({ method: 'POST', url, headers: {}, body: undefined });
}

test.each([
  ...['http://127.0.0.1', 'http://localhost', 'http://[::ffff:127.0.0.1]', 'http://2130706433'],
  ...['https://127.0.0.1', 'https://localhost'],
])('the token service %s of a key is refused like a baseUrl there, and is not asked', async origin => {
  const error: GatewayError = await sign(`${origin}:${port}/token`, true).catch(thrown => thrown);
  expect(error).toMatchObject({ kind: 'upstream', cause: { code: 'PRIVATE_ADDRESS' } });
  expect(error.message).toMatch(/address of its token service .* GATEWAY_PRIVATE_PROVIDERS forbids it/);
  expect(new ProviderProblems().failed('p', error)).toContain('use a public address');
  expect(asked).toEqual([]);
});

test('a key of gateway.yaml may name any token service, whose redirects are not followed', async () => {
  const { authorization } = await sign(`http://127.0.0.1:${port}/token`, false);
  expect(authorization).toBe('Bearer given');
  asked.length = 0;
  await expect(sign(`http://127.0.0.1:${port}/moved`, false)).rejects.toThrow('gave no access token');
  expect(new Set(asked)).toEqual(new Set(['/moved']));
});
