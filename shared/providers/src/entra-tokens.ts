import type { Agent as HttpsAgent } from 'node:https';
import type { HttpClient } from '@azure/core-rest-pipeline';
import type { TokenCredential } from '@azure/identity';
import { GatewayError } from '@model-gateway/canonical';
import { AccessTokens, causeOf, notGiven, tokenAgent } from './access-tokens.ts';
import type { ProviderAccess } from './profile.ts';

/** The scope of Azure OpenAI's tokens in the public cloud, as in Microsoft's guide "managed-identity". */
const publicScope = 'https://cognitiveservices.azure.com/.default';

type Access = Pick<ProviderAccess, 'apiKey' | 'options' | 'agent' | 'clock'>;
type Options = ProviderAccess['options'];

/**
 * Returns the access tokens of Microsoft Entra ID: of an application with a client secret, or of the identity that the
 * worker has by its environment. The SDK is loaded with the first token.
 */
export function entraTokens({ apiKey, options, agent, clock }: Access): AccessTokens {
  const { tenantId, clientId, scope = publicScope } = options;
  if (apiKey !== undefined && !(tenantId && clientId)) throw halfNamed(tenantId ? 'clientId' : 'tenantId');
  let credential: Promise<TokenCredential> | undefined;
  return new AccessTokens({
    service: 'Microsoft Entra ID',
    clock,
    async fetch(abortSignal) {
      credential ??= credentialOf({ apiKey, options, agent });
      try {
        const token = await (await credential).getToken(scope, { abortSignal });
        if (!token) throw new Error('no token');
        return { headers: { authorization: `Bearer ${token.token}` }, expiresAt: token.expiresOnTimestamp };
      } catch (thrown) {
        throw refused(thrown, apiKey !== undefined, options);
      }
    },
  });
}

async function credentialOf({ apiKey, options, agent }: Access): Promise<TokenCredential> {
  const { createDefaultHttpClient } = await import('@azure/core-rest-pipeline');
  const { ClientSecretCredential, DefaultAzureCredential } = await import('@azure/identity');
  const { tenantId, clientId, authorityHost } = options;
  // A login service of one's own is not in Microsoft's list of them.
  const login = {
    ...(authorityHost && { authorityHost, disableInstanceDiscovery: true }),
    httpClient: clientOf(agent, createDefaultHttpClient()),
  };
  if (apiKey !== undefined && tenantId && clientId)
    return new ClientSecretCredential(tenantId, clientId, apiKey, login);
  return new DefaultAzureCredential({
    ...login,
    ...(tenantId && { tenantId }),
    ...(clientId && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
  });
}

/**
 * Returns the client of the SDK's requests, by the connections of `agent`. A policy would be simpler, but the SDK leaves it out where it
 * asks for the token of a managed identity.
 */
function clientOf(agent: HttpsAgent | undefined, usual: HttpClient): HttpClient {
  return {
    sendRequest(request) {
      request.agent = tokenAgent(new URL(request.url), agent);
      return usual.sendRequest(request);
    },
  };
}

function halfNamed(missing: string): GatewayError {
  return new GatewayError(
    'upstream',
    `The provider lacks options.${missing}: Entra ID needs options.tenantId, options.clientId and the client secret as apiKey.`,
  );
}

/** The advice for each error code of Entra ID, from its list of AADSTS error codes. */
const advice: Record<string, (options: Options) => string> = {
  AADSTS90002: ({ tenantId }) => `there is no tenant '${tenantId}': correct options.tenantId`,
  AADSTS900023: ({ tenantId }) => `there is no tenant '${tenantId}': correct options.tenantId`,
  AADSTS700016: ({ tenantId, clientId }) =>
    `the tenant '${tenantId}' has no application '${clientId}': correct options.clientId or options.tenantId`,
  AADSTS7000215: () => 'the client secret is wrong: set apiKey to the value of the secret, not to its id',
  AADSTS7000222: () => 'the client secret has expired: set apiKey to a new one',
  AADSTS500011: () => 'the scope is unknown: correct options.scope',
};

/** The advice for each text of the metadata server, which answers 400 for them. */
const metadataAdvice: [RegExp, (options: Options) => string][] = [
  [
    /Identity not found/i,
    ({ clientId }) =>
      clientId
        ? `this machine has no managed identity '${clientId}': assign it to the machine, or correct options.clientId`
        : 'this machine has no managed identity: assign one to it, or set apiKey',
  ],
  [
    /Multiple user assigned identities/i,
    () => 'this machine has several managed identities: set options.clientId to that of one',
  ],
];

/** Errors of MSAL and of the network before the login service answers. */
const unreached = /endpoints_resolution_error|network_error|ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT/;
const unreachedMessage =
  "Microsoft Entra ID could not be reached, or has no such tenant: check options.tenantId, the worker's way to the login service, and the provider's proxy and tls.ca.";

/** Returns the error of a token that was not given. The SDK's own text is long and names machines, so it is not repeated. */
function refused(thrown: unknown, hasSecret: boolean, options: Options): GatewayError {
  const cause = causeOf(thrown);
  const text = cause.message;
  const [code] = /AADSTS\d+/.exec(text) ?? [];
  const told = code && advice[code]?.(options);
  if (!told && hasSecret && unreached.test(text))
    return new GatewayError('upstream', unreachedMessage, {}, { cause });
  const usual = hasSecret
    ? `check options.tenantId, options.clientId and apiKey${code ? ` (${code})` : ''}`
    : 'the worker has no identity in Azure: give it a managed or workload identity, or set apiKey';
  const found = hasSecret ? undefined : metadataAdvice.find(([pattern]) => pattern.test(text));
  const advised = told ? `${told} (${code})` : (found?.[1](options) ?? usual);
  return notGiven('Microsoft Entra ID', advised, thrown);
}
