import { type Agent, globalAgent } from 'node:http';
import { globalAgent as globalHttpsAgent, type Agent as HttpsAgent } from 'node:https';

/**
 * Returns the connections of a request to a token service, by `agent` if it is set. Where an SDK is given none, it takes the proxy
 * of the environment, for metadata servers, too. Those have no TLS, so that they are asked directly, by `plain`.
 */
export function tokenAgent({ protocol }: URL, agent?: HttpsAgent, plain: Agent = globalAgent): Agent {
  return protocol === 'https:' ? (agent ?? globalHttpsAgent) : plain;
}
