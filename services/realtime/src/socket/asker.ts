import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@model-gateway/canonical';
import {
  type CountSocket,
  checkModelName,
  type Identified,
  identifySecret,
  type Parts,
} from '@model-gateway/ingress';
import { type Secrets, secretPrefix } from '../client-secrets/secrets.ts';
import { credential } from './credential.ts';

/** Whose a session is to be, and of which model. */
export interface Asker extends Identified {
  model: string;
  /** What its client secret was made with. */
  prepared: Record<string, unknown> | undefined;
}

/** Reads who asks for what; `count` is told of the token before anything else is looked at. @throws GatewayError */
export async function readAsker(
  request: IncomingMessage,
  { access }: Pick<Parts, 'access'>,
  secrets: Secrets,
  count: CountSocket,
): Promise<Asker> {
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
