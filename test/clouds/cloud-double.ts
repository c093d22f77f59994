import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { profileOf } from '@model-gateway/providers';
import { listen } from '@model-gateway/service';
import { vi } from 'vitest';

/** A request that a metadata server or a token service received. */
export interface Asked {
  method: string | undefined;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  form: Record<string, string>;
}

/** The metadata servers and token services of all clouds. */
export interface CloudDouble {
  url: string;
  /** The requests that it got, until they are forgotten. */
  asked: Asked[];
  /** The words with which Azure refuses a token of a managed identity, until they are forgotten. */
  refusal: string | undefined;
  close(): Promise<void>;
}

export async function startCloudDouble(): Promise<CloudDouble> {
  const state: Pick<CloudDouble, 'asked' | 'refusal'> = { asked: [], refusal: undefined };
  const { url, close } = await listen(
    (request, response) => void answer(request, response, state),
    '127.0.0.1',
    0,
  );
  return Object.assign(state, { url, close });
}

/** Sets variables of the environment until the end of the test. */
export function set(variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

/** Removes the identity of the machine that runs the tests, until the end of the test. */
export function withoutIdentity(home: string): void {
  for (const name of Object.keys(process.env))
    if (/^(?:AWS|AZURE|GOOGLE|GCE|GCLOUD|IDENTITY|MSI)_/.test(name)) vi.stubEnv(name, undefined);
  set({ AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere', HOME: home });
}

/** Returns the authorization of a request to a provider of this kind. */
export async function authorize(
  kind: string,
  options: Record<string, string> = {},
  apiKey?: string,
): Promise<string | undefined> {
  const connection = await profileOf(kind).connect({ baseUrl: 'https://cloud.example', apiKey, options });
  const url = connection.url('/v1/messages', 'claude');
  const { authorization } = await connection.sign({ method: 'POST', url, headers: {}, body: undefined });
  return authorization;
}

/** Answers by path: JSON, or a text as it is. Undefined for a path that the cloud does not have. */
const answers: Record<string, unknown> = {
  '/metadata/identity/oauth2/token': { access_token: 'imds', expires_in: '3599', token_type: 'Bearer' },
  '/msi/token': { access_token: 'app-service', expires_on: '4102444800', token_type: 'Bearer' },
  '/computeMetadata/v1/project/project-id': 'metadata-project',
  '/computeMetadata/v1/universe/universe-domain': 'googleapis.com',
  '/computeMetadata/v1/instance/service-accounts/default/token': { access_token: 'gce', expires_in: 3599 },
  '/v1/token': { access_token: 'federated', expires_in: 3599, token_type: 'Bearer' },
  '/latest/api/token': 'imds-session',
  '/latest/meta-data/iam/security-credentials/': 'gateway-role',
  '/latest/meta-data/iam/security-credentials/gateway-role': keys('AKIDOFTHEMACHINE', 'Success'),
  '/v1/credentials': keys('AKIDOFTHEPOD'),
};

function keys(AccessKeyId: string, Code?: string): object {
  return { Code, AccessKeyId, SecretAccessKey: 's', Token: 't', Expiration: '2099-01-01T00:00:00Z' };
}

function assumed(action: string): string {
  return `<${action}Response><${action}Result><Credentials><AccessKeyId>AKIDOFTHEROLE</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration>
</Credentials></${action}Result></${action}Response>`;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { asked, refusal }: Pick<CloudDouble, 'asked' | 'refusal'>,
): Promise<void> {
  let body = '';
  for await (const piece of request) body += piece;
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://cloud');
  const form = Object.fromEntries(new URLSearchParams(body));
  const { method, headers } = request;
  asked.push({ method, path: pathname, query: Object.fromEntries(searchParams), headers, form });
  const path = pathname.startsWith('/metadata/') ? pathname.replace(/\/$/, '') : pathname;
  const refused = refusal !== undefined && path.startsWith('/metadata/identity/');
  const found = refused
    ? { error: 'invalid_request', error_description: refusal }
    : form.Action
      ? assumed(form.Action)
      : answers[path];
  response.statusCode = found === undefined ? 404 : refused ? 400 : 200;
  response.setHeader('metadata-flavor', 'Google');
  response.setHeader('content-type', typeof found === 'string' ? 'text/plain' : 'application/json');
  response.end(typeof found === 'string' ? found : JSON.stringify(found ?? {}));
}
