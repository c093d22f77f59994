import { createHash } from 'node:crypto';
import type { GenerateRequest } from '@model-gateway/canonical';

/** The most characters of an end user's id. */
const maxUser = 64;

/** Who asks and how soon, as OpenAI's formats have it; other vendors' tiers are not told. */
export function hints({ user, serviceTier }: GenerateRequest, original: boolean): Record<string, unknown> {
  const tier = serviceTier === 'flex' || serviceTier === 'priority' ? serviceTier : undefined;
  return {
    // Compatible upstreams need not know it.
    ...(original && { service_tier: tier }),
    ...(user && { [original ? 'safety_identifier' : 'user']: shown(user) }),
  };
}

/** An id of any other kind is shown to the vendor as its hash only: too long, or somebody's address. */
function shown(user: string): string {
  if (user.length <= maxUser && !user.includes('@')) return user;
  return createHash('sha256').update(user).digest('hex');
}
