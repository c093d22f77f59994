import type { Endpoint } from '@model-gateway/ingress';
import { hasReferences } from '../store/references.ts';
import type { LocalStore } from './local-store.ts';

/**
 * Wraps an endpoint whose requests continue turns of one connection: their memory is reserved before they are read, until the
 * ingress counts the text that is made of them.
 */
export function reservingLocal(endpoint: Endpoint, local: LocalStore): Endpoint {
  const { prepare } = endpoint;
  if (!prepare) return endpoint;
  return {
    ...endpoint,
    async prepare(body, incoming, requestId) {
      const share = incoming.share();
      try {
        share.take(bytesOf(body, local));
        return await prepare(body, incoming, requestId);
      } finally {
        share.release();
      }
    },
  };
}

/** Returns the memory of the turns that a request continues or refers to: as text, and parsed. */
function bytesOf(
  { previous_response_id: previous, input }: Record<string, unknown>,
  local: LocalStore,
): number {
  if (hasReferences(input)) return 2 * local.bytes;
  return typeof previous === 'string' ? 2 * local.bytesUpTo(previous) : 0;
}
