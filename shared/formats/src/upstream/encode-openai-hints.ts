import { createHash } from 'node:crypto';
import { type GenerateRequest, translatedTier } from '@model-gateway/canonical';
import type { ChatRequestParams } from '../chat/request.ts';

/** The longest end-user id that OpenAI accepts, in characters. */
const maxUser = 64;

/** Fields that OpenAI's formats share. */
type Hints = Pick<ChatRequestParams, 'service_tier' | 'safety_identifier' | 'user'>;

/** Encodes the end user and the service tier for OpenAI's formats. Other vendors' tiers are left out. */
export function hints({ user, serviceTier }: GenerateRequest, original: boolean): Hints {
  const id = user && endUserId(user);
  // Compatible upstreams may know neither the tier nor the newer name of `user`.
  if (!original) return id ? { user: id } : {};
  const tier = translatedTier(serviceTier);
  return id ? { service_tier: tier, safety_identifier: id } : { service_tier: tier };
}

/** Hashes an id that is too long or looks like an email address. */
function endUserId(user: string): string {
  if (user.length <= maxUser && !user.includes('@')) return user;
  return createHash('sha256').update(user).digest('hex');
}
