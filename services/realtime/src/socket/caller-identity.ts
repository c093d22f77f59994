import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import { checkModelName } from '@model-gateway/formats/client';
import {
  assertUse,
  type CountSocket,
  deploymentOf,
  type Identified,
  type IngressDeps,
  identifySecret,
  secretsOf,
} from '@model-gateway/ingress';
import { type Secrets, secretPrefix } from '../client-secrets/secrets.ts';

/** The token and the model of a session. */
export interface CallerIdentity extends Identified {
  model: string;
  /** The initial `session` object of its client secret. */
  prepared: Record<string, unknown> | undefined;
}

/** Identifies a client; `count` gets the token before anything else is checked. @throws GatewayError */
export async function readCallerIdentity(
  request: IncomingMessage,
  deps: Pick<IngressDeps, 'access' | 'clientAddress' | 'clock'>,
  secrets: Secrets,
  count: CountSocket,
): Promise<CallerIdentity> {
  const sent = credentials(request);
  const secret = sent.find(each => each.startsWith(secretPrefix));
  if (secret === undefined) {
    const use = { endpoint: 'realtime', client: deps.clientAddress(request) } as const;
    const identified = identifySecret(deps, sent, use);
    count(identified.token);
    return { ...identified, model: modelOf(request), prepared: undefined };
  }
  const { access, clock } = deps;
  const { tokenHash, model, session } = await secrets.find(secret, clock.now());
  // A client secret is made to be handed to others, so it may be used from every address.
  const token = access.checkHash(tokenHash, clock.now());
  count(token);
  assertUse(token, { endpoint: 'realtime' });
  if (modelOf(request, model) !== model)
    throw new GatewayError('forbidden', `The client secret is valid only for the model '${model}'.`, {
      param: 'model',
    });
  return { token, tokenHash, model, prepared: session };
}

/** Returns the model of the query, else `otherwise`. @throws GatewayError of kind `invalid-request` */
function modelOf({ url = '/' }: IncomingMessage, otherwise?: string): string {
  const query = new URLSearchParams(url.split('?')[1]);
  for (const kind of ['intent', 'call_id'])
    if (query.has(kind))
      throw new GatewayError(
        'invalid-request',
        `Sessions by '${kind}' are not supported: set 'model' instead.`,
        {
          param: kind,
          code: 'unsupported_parameter',
        },
      );
  // Azure's clients name a deployment.
  const model = query.get('model') || deploymentOf(url) || otherwise;
  if (model) return checkModelName(model);
  throw new GatewayError('invalid-request', "Missing required parameter: 'model'.", {
    param: 'model',
    code: 'missing_required_parameter',
  });
}

const keyProtocol = 'openai-insecure-api-key.';

/** Returns the secrets of the usual headers and, for browsers, of a subprotocol. */
export function credentials(request: IncomingMessage): string[] {
  return secretsOf(request, protocolSecret(request));
}

/** Returns the secret that browsers send as a subprotocol; undefined if there is none. */
export function protocolSecret(request: IncomingMessage): string | undefined {
  const name = subprotocols(request).find(each => each.startsWith(keyProtocol));
  return name?.slice(keyProtocol.length);
}

/** True if a client speaks the beta protocol. */
export function speaksBeta(request: IncomingMessage): boolean {
  const { 'openai-beta': beta = '' } = request.headers;
  return String(beta).includes('realtime=v1') || subprotocols(request).includes('openai-beta.realtime-v1');
}

function subprotocols({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
}
