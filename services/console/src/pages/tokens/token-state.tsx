import { Badge } from '@mantine/core';
import type { TokenInfo } from '@model-gateway/admin-api';

/** Tokens that expire within this time are shown as expiring soon, in days. */
const soonDays = 7;
export const dayMs = 86_400_000;

export type TokenState = 'active' | 'expiring' | 'expired' | 'disabled' | 'revoked';

/** Returns the state of a token at a time, in milliseconds since the epoch. */
export function stateOf(
  { disabled, expiresAt }: Pick<TokenInfo, 'disabled' | 'expiresAt'>,
  now: number,
): TokenState {
  const left = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  if (disabled) return 'disabled';
  return left <= soonDays * dayMs ? 'expiring' : 'active';
}

const shown: Record<TokenState, [label: string, color: string]> = {
  active: ['Active', 'green'],
  expiring: ['Expires soon', 'orange'],
  expired: ['Expired', 'red'],
  disabled: ['Disabled', 'gray'],
  revoked: ['Revoked', 'red'],
};

/** The state of a token in a word. */
export function StateBadge({ state }: { state: TokenState }) {
  const [label, color] = shown[state];
  return (
    <Badge variant="light" color={color} tt="none" miw="max-content">
      {label}
    </Badge>
  );
}
