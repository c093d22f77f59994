import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startSimulated } from '../stack/simulated.ts';
import { authorize, type CloudDouble, set, startCloudDouble, withoutIdentity } from './cloud-double.ts';

const folder = mkdtempSync(join(tmpdir(), 'identities-'));
const at = (name: string) => join(folder, name);
let double: CloudDouble;

beforeAll(async () => {
  double = await startCloudDouble();
  writeFileSync(at('token'), 'of-the-account');
});
afterAll(async () => {
  await double?.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  double.asked.length = 0;
  double.refusal = undefined;
  withoutIdentity(folder);
});
afterEach(() => void vi.unstubAllEnvs());

const azureResource = 'https://cognitiveservices.azure.com';

test.each<Record<string, string>>([{}, { clientId: 'identity-1' }])(
  'a machine of Azure with a managed identity: %j',
  async options => {
    set({ AZURE_POD_IDENTITY_AUTHORITY_HOST: double.url });
    const authorization = await authorize('azure-openai', options);
    expect(authorization).toBe('Bearer imds');
    const query = { 'api-version': '2018-02-01', resource: azureResource };
    const named = options.clientId ? { client_id: options.clientId } : {};
    expect(double.asked.at(-1)).toMatchObject({ method: 'GET', headers: { metadata: 'true' } });
    expect(double.asked.at(-1)?.query).toEqual({ ...query, ...named });
  },
);

const several =
  'Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request';

test.each<[string, Record<string, string>, string]>([
  [
    'Identity not found',
    { clientId: 'identity-2' },
    "this machine has no managed identity 'identity-2': assign it to the machine, or correct options.clientId",
  ],
  ['Identity not found', {}, 'this machine has no managed identity: assign one to it, or set apiKey'],
  [several, {}, 'this machine has several managed identities: set options.clientId to that of one'],
])(
  'a refusal of the metadata server of Azure says what to change: %s, %j',
  async (refusal, options, words) => {
    set({ AZURE_POD_IDENTITY_AUTHORITY_HOST: double.url });
    double.refusal = refusal;
    await expect(authorize('azure-openai', options)).rejects.toMatchObject({
      message: `Microsoft Entra ID gave no access token: ${words}.`,
      cause: { code: 'NO_ACCESS_TOKEN' },
    });
  },
);

test('the worker says in /readyz what to change for a managed identity that does not exist', async () => {
  set({ AZURE_POD_IDENTITY_AUTHORITY_HOST: double.url });
  double.refusal = 'Identity not found';
  const { stack, stop } = await startSimulated(baseUrl => ({
    providers: [{ name: 'azure', kind: 'azure-openai', baseUrl, options: { clientId: 'identity-2' } }],
    models: [{ name: 'azure', targets: [{ provider: 'azure', model: 'sim-fast' }] }],
  }));
  try {
    const { status } = await fetch(`${stack.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'azure', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(status).toBe(502);
    expect(stack.workerNotices()).toEqual([
      expect.stringMatching(/^provider azure: Microsoft .* 'identity-2': .* correct options\.clientId$/),
    ]);
  } finally {
    await stop();
  }
});

test('a machine or pod of Google Cloud has the project and the account of the metadata server', async () => {
  set({ GCE_METADATA_HOST: new URL(double.url).host, METADATA_SERVER_DETECTION: 'assume-present' });
  const authorization = await authorize('vertex');
  expect(authorization).toBe('Bearer gce');
  expect(double.asked.map(({ path }) => path)).toContain('/computeMetadata/v1/project/project-id');
  const token = double.asked.find(({ path }) => path.endsWith('/token'));
  expect(token?.query.scopes).toBe('https://www.googleapis.com/auth/cloud-platform');
  for (const { headers } of double.asked) expect(headers['metadata-flavor']).toBe('Google');
});

test("an account of another cloud is exchanged for Google's, by the file of the credentials", async () => {
  const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q';
  const file = {
    ...{ type: 'external_account', audience, token_url: `${double.url}/v1/token` },
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    credential_source: { file: at('token') },
  };
  writeFileSync(at('google.json'), JSON.stringify(file));
  set({ GOOGLE_APPLICATION_CREDENTIALS: at('google.json') });
  const authorization = await authorize('vertex', { project: 'p' });
  expect(authorization).toBe('Bearer federated');
  const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
  expect(double.asked).toMatchObject([
    { method: 'POST', form: { audience, grant_type: exchange, subject_token: 'of-the-account' } },
  ]);
});

const role = 'arn:aws:iam::123456789012:role/gateway';
const region = { region: 'us-east-1' };
const byRole = expect.stringContaining('Credential=AKIDOFTHEROLE/');

test('a role is assumed by an access key, signed for the region of the provider', async () => {
  set({ AWS_ENDPOINT_URL_STS: double.url });
  const options = { ...region, accessKeyId: 'AKIDAKIDAKIDAKID', roleArn: role };
  const authorization = await authorize('bedrock', options, 'secret');
  expect(authorization).toEqual(byRole);
  const form = { Action: 'AssumeRole', RoleArn: role, RoleSessionName: 'model-gateway' };
  const signed = expect.stringMatching(/Credential=AKIDAKIDAKIDAKID\/\d{8}\/us-east-1\/sts\/aws4_request/);
  expect(double.asked).toMatchObject([{ method: 'POST', form, headers: { authorization: signed } }]);
});

test('the account of a pod in Kubernetes has its role, and may assume another', async () => {
  set({ AWS_ENDPOINT_URL_STS: double.url, AWS_WEB_IDENTITY_TOKEN_FILE: at('token'), AWS_ROLE_ARN: role });
  const authorization = await authorize('bedrock', region);
  expect(authorization).toEqual(byRole);
  const form = { Action: 'AssumeRoleWithWebIdentity', RoleArn: role, WebIdentityToken: 'of-the-account' };
  expect(double.asked).toMatchObject([{ method: 'POST', form }]);
  const other = `${role}-2`;
  expect(await authorize('bedrock', { ...region, roleArn: other })).toEqual(byRole);
  const signed = expect.stringContaining('Credential=AKIDOFTHEROLE/');
  expect(double.asked.at(-1)).toMatchObject({
    ...{ form: { Action: 'AssumeRole', RoleArn: other }, headers: { authorization: signed } },
  });
});

test('a pod of EKS Pod Identity sends the token of its account', async () => {
  set({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${double.url}/v1/credentials` });
  set({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: at('token') });
  const authorization = await authorize('bedrock', region);
  expect(authorization).toContain('Credential=AKIDOFTHEPOD/');
  expect(double.asked).toMatchObject([{ method: 'GET', headers: { authorization: 'of-the-account' } }]);
});

test('a machine of AWS has the role of its instance profile, by the second version of its metadata service', async () => {
  set({ AWS_EC2_METADATA_SERVICE_ENDPOINT: double.url });
  const authorization = await authorize('bedrock', region);
  expect(authorization).toContain('Credential=AKIDOFTHEMACHINE/');
  expect(double.asked[0]).toMatchObject({
    ...{ method: 'PUT', headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' } },
  });
  for (const { headers } of double.asked.slice(1))
    expect(headers['x-aws-ec2-metadata-token']).toBe('imds-session');
});
