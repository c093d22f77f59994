import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

export interface TestProvider {
  issuer: string;
  /** The claims of each user at the userinfo endpoint, by the user's id. Tests may change them. */
  users: Map<string, Record<string, unknown>>;
  /** The claims of each user in the ID token, beside `sub`. */
  inIdToken: Map<string, Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Starts an OpenID provider with one client, on a free loopback port. */
export async function startProvider(client: {
  id: string;
  secret: string;
  redirectUrls: string[];
}): Promise<TestProvider> {
  const users: TestProvider['users'] = new Map();
  const inIdToken: TestProvider['inIdToken'] = new Map();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configuration: Configuration = {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: client.redirectUrls }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups'],
    },
    conformIdTokenClaims: false,
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async use => ({ sub: id, ...(use === 'id_token' ? inIdToken : users).get(id) }),
    }),
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    cookies: { keys: ['a key of the tests'] },
  };
  const provider = new Provider(issuer, configuration);
  server.on('request', provider.callback());
  return {
    issuer,
    users,
    inIdToken,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => {});
    },
  };
}
