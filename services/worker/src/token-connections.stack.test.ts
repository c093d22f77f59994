import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@model-gateway/clock/testing';
import { type ProviderAccess, profileOf } from '@model-gateway/providers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ConnectProxy, closed, listening, startConnectProxy } from './testing/connect-proxy.ts';
import { privateCa } from './testing/private-ca.ts';
import { type ProxyEnvironment, UpstreamConnections } from './upstream-connections.ts';

const hosts = [
  'login.house.example',
  '*.googleapis.com',
  '*.us-east-1.amazonaws.com',
  '*.sso.eu-west-1.amazonaws.com',
];
const ca = privateCa(...hosts);
// Time stands still while the SDKs are loaded, which takes long on a busy machine. They know no other time than the system's.
const clock = new ManualClock(Date.now());
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));

const credentials = `<Credentials><AccessKeyId>AKIDOFTHEROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey>
  <SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`;
const ssoCredentials = {
  accessKeyId: 'AKIDOFTHESSO',
  secretAccessKey: 's',
  sessionToken: 't',
  expiration: 4e12,
};

const tenant = 'https://login.house.example/tenant-1';
const login = {
  ...{ issuer: `${tenant}/v2.0`, authorization_endpoint: `${tenant}/oauth2/v2.0/authorize` },
  token_endpoint: `${tenant}/oauth2/v2.0/token`,
  jwks_uri: `${tenant}/discovery/v2.0/keys`,
};

/** Answers of token services, by what the request is for. */
function answerOf(url: string, body: string): string {
  if (url.startsWith('/federation/credentials')) return JSON.stringify({ roleCredentials: ssoCredentials });
  const [, action] = /Action=(\w+)/.exec(body) ?? [];
  if (action)
    return `<${action}Response><${action}Result>${credentials}</${action}Result></${action}Response>`;
  if (url.startsWith('/computeMetadata/v1/project')) return 'metadata-project';
  if (url.includes('openid-configuration')) return JSON.stringify(login);
  return JSON.stringify({ token_type: 'Bearer', access_token: 'given', expires_in: 3600 });
}

let services: Server;
/** The assertion of the last request to the login service. */
let asserted: string | null = null;
/** Metadata servers, which have no TLS. */
let metadata: Server;
let metadataHost: string;
let proxy: ConnectProxy;
let connections: UpstreamConnections;

beforeAll(async () => {
  const answer: Parameters<typeof createHttpServer>[1] = async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    asserted = new URLSearchParams(body).get('client_assertion');
    response.setHeader('metadata-flavor', 'Google');
    response.setHeader('content-type', body.includes('Action=') ? 'text/xml' : 'application/json');
    response.end(answerOf(request.url ?? '', body));
  };
  services = createServer({ key: ca.pem('server.key'), cert: ca.pem('server.pem') }, answer);
  metadata = createHttpServer(answer);
  metadataHost = `127.0.0.1:${await listening(metadata)}`;
  proxy = await startConnectProxy(await listening(services));
});
afterAll(() => {
  for (const server of [services, metadata]) closed(server);
  proxy.close();
  ca[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  proxy.asked.length = 0;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'GOOGLE_APPLICATION_CREDENTIALS'])
    vi.stubEnv(name, undefined);
  for (const name of ['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE']) vi.stubEnv(name, '/nowhere');
  // The SDKs would take it for themselves; the ways have taken it already.
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:9');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await connections.destroy();
});

interface Asking {
  options?: Record<string, string>;
  apiKey?: string;
}

/** The headers that sign a request of a kind, with the agent of a way that goes through the proxy and trusts the CA. */
async function sign(
  kind: string,
  { options = {}, apiKey }: Asking,
  own = true,
): Promise<Record<string, string>> {
  const env: ProxyEnvironment = own ? {} : { HTTPS_PROXY: proxy.url };
  connections = new UpstreamConnections(env, clock);
  const tls = { ca: ca.pem('ca.pem'), serverName: 'house.internal' };
  const { tokenAgent: agent } = connections.of('house', { ...(own && { proxy: proxy.url }), tls }) ?? {};
  const access: ProviderAccess = { baseUrl: 'https://cloud.example', apiKey, options, agent, clock };
  const connection = await profileOf(kind).connect(access);
  const url = connection.url('/v1/messages', 'claude');
  return connection.sign({ method: 'POST', url, headers: {}, body: undefined });
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const account = {
  ...{ type: 'service_account', project_id: 'p', client_email: 'a@p.iam.gserviceaccount.com' },
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
};
const entra = {
  options: { authorityHost: 'https://login.house.example', tenantId: 'tenant-1', clientId: 'app-1' },
  apiKey: 'secret',
};
const role = { region: 'us-east-1', roleArn: 'arn:aws:iam::123456789012:role/gateway' };
const assumed = { options: { ...role, accessKeyId: 'AKIDAKIDAKIDAKID' }, apiKey: 'secret' };

test.each([
  ['azure-openai', entra, 'login.house.example:443', /^Bearer given$/],
  ['vertex', { apiKey: JSON.stringify(account) }, 'oauth2.googleapis.com:443', /^Bearer given$/],
  ['bedrock', assumed, 'sts.us-east-1.amazonaws.com:443', /Credential=AKIDOFTHEROLE\//],
])(
  'a token of %s comes through the proxy of its provider, from a server of its CA',
  async (kind, asking, host, given) => {
    expect(await sign(kind, asking)).toMatchObject({ authorization: expect.stringMatching(given) });
    expect(new Set(proxy.asked)).toEqual(new Set([host]));
    proxy.asked.length = 0;
    expect(await sign(kind, asking, false)).toMatchObject({ authorization: expect.stringMatching(given) });
    expect(new Set(proxy.asked)).toEqual(new Set([host]));
  },
);

test.each([
  ['vertex', { apiKey: JSON.stringify(account) }],
  ['bedrock', assumed],
])(
  'a proxy that %s cannot connect to is told as what to check, without its password',
  async (kind, asking) => {
    connections = new UpstreamConnections({}, clock);
    const { tokenAgent: agent } =
      connections.of('house', { proxy: 'http://user:secret-word@127.0.0.1:9' }) ?? {};
    const access = { ...{ baseUrl: 'https://cloud.example', options: {}, clock }, ...asking, agent };
    const connection = await profileOf(kind).connect(access);
    const url = connection.url('/v1/messages', 'claude');
    const signing = Promise.resolve(connection.sign({ method: 'POST', url, headers: {}, body: undefined }));
    const error = await signing.catch(thrown => thrown);
    const told = `${error.message} ${error.details.fault}`;
    expect(told).toMatch(/could not be reached.*proxy and tls\.ca/);
    expect(`${told} ${error.cause}`).not.toContain('secret-word');
  },
);

test('a web identity of Kubernetes, and single sign-on in its own region, take the proxy, too', async () => {
  writeFileSync(join(folder, 'token'), 'web-identity');
  vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', join(folder, 'token'));
  vi.stubEnv('AWS_ROLE_ARN', role.roleArn);
  const options = { region: 'us-east-1' };
  expect((await sign('bedrock', { options })).authorization).toContain('Credential=AKIDOFTHEROLE/');
  expect(proxy.asked).toEqual(['sts.us-east-1.amazonaws.com:443']);
  await connections.destroy();

  signedOn();
  proxy.asked.length = 0;
  const profiled = { options: { region: 'us-east-1', profile: 'people' } };
  expect((await sign('bedrock', profiled)).authorization).toContain('Credential=AKIDOFTHESSO/');
  expect(proxy.asked).toEqual(['portal.sso.eu-west-1.amazonaws.com:443']);
});

test('a workload identity of AKS takes the proxy, too', async () => {
  writeFileSync(join(folder, 'token'), 'web-identity');
  vi.stubEnv('AZURE_FEDERATED_TOKEN_FILE', join(folder, 'token'));
  vi.stubEnv('AZURE_TENANT_ID', 'tenant-1');
  vi.stubEnv('AZURE_CLIENT_ID', 'app-1');
  vi.stubEnv('AZURE_CLIENT_SECRET', undefined);
  vi.stubEnv('AZURE_AUTHORITY_HOST', 'https://login.house.example');
  const { authorityHost } = entra.options;
  expect(await sign('azure-openai', { options: { authorityHost } })).toEqual({
    authorization: 'Bearer given',
  });
  expect(new Set(proxy.asked)).toEqual(new Set(['login.house.example:443']));
  expect(asserted).toBe('web-identity');
});

/** Writes the files of AWS that `aws sso login` leaves behind. */
function signedOn(): void {
  const start = 'https://d.awsapps.com/start';
  const config = `[profile people]\nsso_start_url = ${start}\nsso_region = eu-west-1
sso_account_id = 123456789012\nsso_role_name = gateway\n`;
  writeFileSync(join(folder, 'config'), config);
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'));
  vi.stubEnv('HOME', folder);
  const cache = join(folder, '.aws', 'sso', 'cache');
  mkdirSync(cache, { recursive: true });
  const token = { accessToken: 'sso', expiresAt: '2099-01-01T00:00:00Z' };
  const name = createHash('sha1').update(start).digest('hex');
  writeFileSync(join(cache, `${name}.json`), JSON.stringify(token));
}

test.each([
  ['azure-openai', 'AZURE_POD_IDENTITY_AUTHORITY_HOST', 'http://'],
  ['vertex', 'GCE_METADATA_HOST', ''],
])('the metadata server that %s asks is asked directly', async (kind, variable, scheme) => {
  vi.stubEnv(variable, scheme + metadataHost);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
  // Google's library also asks a gcloud, which takes seconds, for its project.
  vi.stubEnv('PATH', folder);
  expect(await sign(kind, {})).toMatchObject({ authorization: 'Bearer given' });
  expect(await sign(kind, {}, false)).toMatchObject({ authorization: 'Bearer given' });
  expect(proxy.asked).toEqual([]);
});
