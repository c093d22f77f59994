import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { keptFile } from '@model-gateway/catalog';

export interface AdminTokenSettings {
  GATEWAY_ADMIN_TOKEN?: string | undefined;
  GATEWAY_DATA: string;
}

export function readAdminToken({ GATEWAY_ADMIN_TOKEN, GATEWAY_DATA }: AdminTokenSettings): string {
  if (GATEWAY_ADMIN_TOKEN) return GATEWAY_ADMIN_TOKEN;
  return keptFile(join(GATEWAY_DATA, 'admin-token'), () => `admin-${randomBytes(32).toString('base64url')}`);
}

/** Compares in a time that tells nothing of either. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
