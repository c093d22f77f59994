import type { Agent } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';
import type { AuthClient } from 'google-auth-library';
import { type AccessToken, AccessTokens, causeOf, notGiven, tokenAgent, unreached } from './access-tokens.ts';
import type { ProviderAccess } from './profile.ts';

/** Access by a Google account. */
export interface GoogleAccess {
  tokens: AccessTokens;
  /** The project of the credential; undefined if it names none. */
  project: string | undefined;
}

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];
/** Google's token endpoint, which is in the key of a service account, too. */
const tokenUrl = 'https://oauth2.googleapis.com/token';
/** Life of a token of which the library knows no end, in milliseconds. */
const unknownLifeMs = 5 * 60_000;

/** The fields of a service account's key, as the console of Google Cloud writes it, that are used. */
interface AccountKey {
  client_email: string;
  private_key: string;
  project_id: string | undefined;
  quota_project_id: string | undefined;
  token_uri: string;
}

/**
 * Returns the access tokens of a service account, by its key in JSON, or of the account that the worker has by its
 * environment: Application Default Credentials. The SDK is loaded here.
 * @throws GatewayError if there is no such account
 */
export async function googleAccess({
  apiKey: json,
  options,
  agent,
  plainAgent,
  clock = systemClock,
}: Pick<ProviderAccess, 'apiKey' | 'options' | 'agent' | 'plainAgent' | 'clock'>): Promise<GoogleAccess> {
  const transport = { agent: (url: URL) => tokenAgent(url, agent) };
  // A key may name any address.
  const ofKey = { agent: (url: URL) => tokenAgent(url, agent, plainAgent), redirect: 'error' } as const;
  const { client, project } =
    json === undefined
      ? await defaultClient(transport, options.project)
      : await clientOf(readKey(json), ofKey);
  const tokens = new AccessTokens({ service: 'Google', clock, fetch: () => fetchToken(client, clock) });
  return { tokens, project };
}

interface Account {
  client: AuthClient;
  project: string | undefined;
}

/** The settings of the library's requests. */
type Transport = { agent(url: URL): Agent; redirect?: 'error' };

/** The connections of requests to the metadata server. */
const direct: Transport = { agent: url => tokenAgent(url) };

/** The library asks for the project of some accounts by an API that may not be enabled, unless it is told one. */
async function defaultClient(transporterOptions: Transport, projectId: string | undefined): Promise<Account> {
  const { gaxios, GoogleAuth, Impersonated } = await import('google-auth-library');
  // The requests to the metadata server have no settings of a client.
  Object.assign(gaxios.instance.defaults, direct);
  try {
    const auth = new GoogleAuth({
      ...{ scopes, clientOptions: { transporterOptions } },
      ...(projectId && { projectId }),
    });
    const client = await auth.getClient();
    // The library passes the settings on to no account that is impersonated.
    if (client instanceof Impersonated)
      // biome-ignore lint/complexity/useLiteralKeys: TypeScript lets a private field be read by its name alone.
      Object.assign(client['sourceClient'].transporter.defaults, transporterOptions);
    return { client, project: await auth.getProjectId().catch(() => undefined) };
  } catch (thrown) {
    const message =
      "The worker has no Google credentials: set apiKey to a service account's key, or give the worker Application Default Credentials.";
    throw new GatewayError('upstream', message, {}, { cause: causeOf(thrown) });
  }
}

async function clientOf(key: AccountKey, transporterOptions: Transport): Promise<Account> {
  const { JWT } = await import('google-auth-library');
  const client = new JWT({ email: key.client_email, key: key.private_key, scopes, transporterOptions });
  if (key.quota_project_id) client.quotaProjectId = key.quota_project_id;
  // The library asks Google's own endpoint whatever the key says.
  if (key.token_uri !== tokenUrl)
    client.transporter.interceptors.request.add({
      resolved: async config => Object.assign(config, { url: new URL(key.token_uri) }),
    });
  return { client, project: key.project_id };
}

/** @throws GatewayError for any other JSON, which is not repeated */
function readKey(json: string): AccountKey {
  const key = parse(json);
  const text = (name: string) => (typeof key?.[name] === 'string' ? (key[name] as string) : undefined);
  const [client_email, private_key, token_uri = tokenUrl] = ['client_email', 'private_key', 'token_uri'].map(
    text,
  );
  if (text('type') !== 'service_account' || !client_email || !private_key || !URL.canParse(token_uri))
    throw new GatewayError(
      'upstream',
      "apiKey is not a service account's key: set it to the JSON with the type service_account, or remove it for Application Default Credentials.",
    );
  return {
    ...{ client_email, private_key, token_uri },
    project_id: text('project_id'),
    quota_project_id: text('quota_project_id'),
  };
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(json));
  } catch {
    return undefined;
  }
}

async function fetchToken(client: AuthClient, clock: Clock): Promise<AccessToken> {
  try {
    const { token } = await client.getAccessToken();
    if (!token) throw new Error('no token');
    const { expiry_date: expiresAt } = client.credentials;
    return {
      headers: {
        authorization: `Bearer ${token}`,
        ...(client.quotaProjectId && { 'x-goog-user-project': client.quotaProjectId }),
      },
      expiresAt: expiresAt ?? clock.now() + unknownLifeMs,
    };
  } catch (thrown) {
    throw notGiven('Google', reasonOf(thrown), thrown);
  }
}

/** The reasons for which Google gives no token, and what to change, by the text of the library's error. */
const reasons: [RegExp, string][] = [
  [/account not found/i, 'the service account does not exist: set apiKey to the key of another one'],
  [/Invalid JWT Signature/i, "the service account's key was deleted or changed: set apiKey to a new key"],
  [/iat.{0,40}exp|short-lived|reasonable timeframe/i, "the worker's clock is wrong: set its time"],
  [
    /DECODER|PEM|asn1|private key/i,
    'apiKey holds no valid private key: set it to the JSON file as it was downloaded',
  ],
  [/disabled/i, 'the service account is disabled: enable it, or set apiKey to the key of another one'],
  [
    unreached,
    "its token service could not be reached: check the worker's way to the internet, and the provider's proxy and tls.ca",
  ],
];

function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? `${cause.message} ${String(cause.cause ?? '')}` : '';
  const found = reasons.find(([pattern]) => pattern.test(text));
  return found?.[1] ?? 'check apiKey, and that the account may act for itself';
}
