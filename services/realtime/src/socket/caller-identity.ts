import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import {
  bearerToken,
  type CountSocket,
  checkModelName,
  type Identified,
  type IngressDeps,
  identifySecret,
} from '@model-gateway/ingress';
import { type Secrets, secretPrefix } from '../client-secrets/secrets.ts';

/** Whose a session is to be, and of which model. */
export interface CallerIdentity extends Identified {
  model: string;
  /** What its client secret was made with. */
  prepared: Record<string, unknown> | undefined;
}

/** Reads who asks for what; `count` is told of the token before anything else is looked at. @throws GatewayError */
export async function readCallerIdentity(
  request: IncomingMessage,
  { access }: Pick<IngressDeps, 'access'>,
  secrets: Secrets,
  count: CountSocket,
): Promise<CallerIdentity> {
  const secret = credential(request);
  if (!secret?.startsWith(secretPrefix)) {
    const identified = identifySecret(access, secret);
    count(identified.token);
    return { ...identified, model: modelOf(request), prepared: undefined };
  }
  const { tokenHash, model, session } = await secrets.find(secret, Date.now());
  const token = access.checkHash(tokenHash, Date.now());
  count(token);
  if (modelOf(request, model) !== model)
    throw new GatewayError('forbidden', `The client secret is for the model '${model}' alone.`, {
      param: 'model',
    });
  return { token, tokenHash, model, prepared: session };
}

/** The session's model: that of the query, else `otherwise`. @throws GatewayError of kind `invalid-request` */
function modelOf({ url = '/' }: IncomingMessage, otherwise?: string): string {
  const query = new URLSearchParams(url.split('?')[1]);
  for (const kind of ['intent', 'call_id'])
    if (query.has(kind))
      throw new GatewayError('invalid-request', `Sessions by '${kind}' are not supported: name a model.`, {
        param: kind,
        code: 'unsupported_parameter',
      });
  const model = query.get('model') || otherwise;
  if (model) return checkModelName(model);
  throw new GatewayError('invalid-request', "Missing required parameter: 'model'.", {
    param: 'model',
    code: 'missing_required_parameter',
  });
}

const keyProtocol = 'openai-insecure-api-key.';

/** The secret of a client: of `Authorization: Bearer`, or the subprotocol that browsers have in place of headers. */
export function credential(request: IncomingMessage): string | undefined {
  return (
    bearerToken(request) ??
    offered(request)
      .find(name => name.startsWith(keyProtocol))
      ?.slice(keyProtocol.length)
  );
}

/** Whether a client speaks the beta protocol. */
export function speaksBeta(request: IncomingMessage): boolean {
  const { 'openai-beta': beta = '' } = request.headers;
  return String(beta).includes('realtime=v1') || offered(request).includes('openai-beta.realtime-v1');
}

function offered({ headers }: IncomingMessage): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
}
