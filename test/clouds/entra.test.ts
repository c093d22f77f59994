import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { GatewayError } from '@model-gateway/canonical';
import { type Connection, profileOf } from '@model-gateway/providers';
import { Certificate } from '@model-gateway/service';
import { selfSigned } from '@model-gateway/service/testing';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';

let simulator: StartedSimulator;
let url: string;
const before = getCACertificates('default');

beforeAll(async () => {
  using files = selfSigned();
  const certificate = new Certificate(files);
  // Microsoft's SDK asks login services over TLS alone.
  setDefaultCACertificates([...before, readFileSync(files.cert, 'utf8')]);
  simulator = await startSimulator({ certificate });
  url = simulator.url.replace('127.0.0.1', 'localhost');
});
afterAll(async () => {
  setDefaultCACertificates(before);
  await simulator?.close();
});

function connect(options: Record<string, string>, apiKey?: string): Connection {
  const all = { tenantId: 'tenant-1', clientId: 'app-1', authorityHost: url, ...options };
  return profileOf('azure-openai').connect({ baseUrl: url, apiKey, options: all }) as Connection;
}

const unsigned = { method: 'POST', url: 'https://azure.example', headers: {}, body: undefined } as const;

/** Returns the status of a chat request with the headers of a connection. */
async function ask(headers: Record<string, string>): Promise<number | undefined> {
  const asked = request(`${url}/openai/v1/chat/completions`, { method: 'POST', headers });
  asked.end(JSON.stringify({ model: 'sim-fast', messages: [{ role: 'user', content: 'Hi' }] }));
  return new Promise((resolve, reject) => {
    asked.on('error', reject);
    asked.on('response', response => {
      response.resume();
      resolve(response.statusCode);
    });
  });
}

const tokensAsked = () => simulator.requests.filter(({ path }) => path.endsWith('/token')).length;

test('an application gets one token for many requests, and Azure accepts it', async () => {
  const connection = connect({}, 'secret-value-1');
  const signatures = await Promise.all(Array.from({ length: 5 }, () => connection.sign(unsigned)));
  expect(new Set(signatures.map(({ authorization }) => authorization)).size).toBe(1);
  expect(await ask(signatures[0] as Record<string, string>)).toBe(200);
  // Later requests do not wait.
  expect(connection.sign(unsigned)).toEqual(signatures[0]);
  expect(await ask({ authorization: 'Bearer entra-made-up' })).toBe(401);
});

test('a token is replaced before it expires', async () => {
  const connection = connect({}, 'secret-value-2s');
  const first = await connection.sign(unsigned);
  await expect.poll(() => connection.sign(unsigned)).not.toEqual(first);
});

test.each([
  [
    { tenantId: 'missing-tenant' },
    "there is no tenant 'missing-tenant': correct options.tenantId (AADSTS90002)",
  ],
  [
    { clientId: 'missing-app' },
    "the tenant 'tenant-1' has no application 'missing-app': correct options.clientId or options.tenantId (AADSTS700016)",
  ],
  [{ scope: 'https://other.example/.default' }, 'the scope is unknown: correct options.scope (AADSTS500011)'],
])('the options %j are told as what to correct', async (options, words) => {
  const signing = Promise.resolve(connect(options, 'secret-value-1').sign(unsigned));
  await expect(signing).rejects.toThrow(
    new GatewayError('upstream', `Microsoft Entra ID gave no access token: ${words}.`),
  );
});

test('a wrong client secret is told without the secret, and not tried again at once', async () => {
  const connection = connect({}, 'invalid');
  const failure = await Promise.resolve(connection.sign(unsigned)).catch((error: GatewayError) => error);
  expect(failure).toMatchObject({ kind: 'upstream', message: expect.stringContaining('AADSTS7000215') });
  const asked = tokensAsked();
  await expect(Promise.resolve(connection.sign(unsigned))).rejects.toBe(failure);
  expect(tokensAsked()).toBe(asked);
});
