import { createHash } from 'node:crypto';
import type { GenerateRequest } from '@model-gateway/canonical';

/** The longest end-user id that OpenAI accepts, in characters. */
const maxUser = 64;

/** Encodes the end user and the service tier for OpenAI's formats. Other vendors' tiers are left out. */
export function hints({ user, serviceTier }: GenerateRequest, original: boolean): Record<string, unknown> {
  const tier = serviceTier === 'flex' || serviceTier === 'priority' ? serviceTier : undefined;
  return {
    // Compatible upstreams may not know it.
    ...(original && { service_tier: tier }),
    ...(user && { [original ? 'safety_identifier' : 'user']: endUserId(user) }),
  };
}

/** Hashes an id that is too long or looks like an email address. */
function endUserId(user: string): string {
  if (user.length <= maxUser && !user.includes('@')) return user;
  return createHash('sha256').update(user).digest('hex');
}
