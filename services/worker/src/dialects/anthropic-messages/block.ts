import { type CacheHint, GatewayError } from '@model-gateway/canonical';

/** A block of content as it goes upstream. */
export type Block = { type: string; cache_control?: CacheControl } & Record<string, unknown>;

export interface CacheControl {
  type: 'ephemeral';
  ttl?: string;
}

/** The mark of a cached prefix, to be spread into a block or a tool. */
export function cacheMark(cache: CacheHint | undefined): { cache_control?: CacheControl } {
  return cache ? { cache_control: { type: 'ephemeral', ...(cache.ttl && { ttl: cache.ttl }) } } : {};
}

/** A request that this format cannot say. */
export function refuse(param: string, message: string): never {
  throw new GatewayError('invalid-request', message, { param });
}
