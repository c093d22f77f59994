import type { Settings } from '@model-gateway/service';
import { megabytes, TokenCount } from './budgets.ts';

/** Settings of the per-token limits in a process. */
export const shareSettings = [
  'GATEWAY_TOKEN_REQUESTS',
  'GATEWAY_TOKEN_SOCKETS',
  'GATEWAY_TOKEN_BODY_BUDGET',
  'GATEWAY_TOKEN_SPOOL_BUDGET',
  'GATEWAY_BODY_BUDGET',
  'GATEWAY_SPOOL_BUDGET',
] as const;
type ShareSettings = Settings<(typeof shareSettings)[number]>;

/** Default divisor of a process's budget that gives one token's share. */
const part = 4;

/** In bytes. */
export function bodyShare({ GATEWAY_TOKEN_BODY_BUDGET, GATEWAY_BODY_BUDGET }: ShareSettings): number {
  return GATEWAY_TOKEN_BODY_BUDGET ?? Math.ceil(GATEWAY_BODY_BUDGET / part);
}

/** In bytes. */
export function spoolShare({ GATEWAY_TOKEN_SPOOL_BUDGET, GATEWAY_SPOOL_BUDGET }: ShareSettings): number {
  return GATEWAY_TOKEN_SPOOL_BUDGET ?? Math.ceil(GATEWAY_SPOOL_BUDGET / part);
}

/** The per-token limits of a process. */
export interface TokenShares {
  /** Open requests of all kinds. */
  requests: TokenCount;
  /** Open WebSockets of all paths. */
  sockets: TokenCount;
  /** Bytes in memory of request bodies and of data derived from them. */
  bodies: TokenCount;
  /** Bytes of uploads on disk. */
  uploads: TokenCount;
}

export function tokenShares(settings: ShareSettings): TokenShares {
  const { GATEWAY_TOKEN_REQUESTS: requests, GATEWAY_TOKEN_SOCKETS: sockets } = settings;
  const [bodies, uploads] = [bodyShare(settings), spoolShare(settings)];
  const here = 'at this gateway process';
  return {
    requests: new TokenCount(
      requests,
      `This token has ${requests} open requests ${here}; wait until some have ended.`,
    ),
    sockets: new TokenCount(
      sockets,
      `This token has ${sockets} open WebSockets ${here}; close some, or wait until some have ended.`,
    ),
    bodies: new TokenCount(
      bodies,
      `This token's requests hold ${megabytes(bodies)} of request bodies ${here}; wait until some have been answered.`,
    ),
    uploads: new TokenCount(
      uploads,
      `This token's requests hold ${megabytes(uploads)} of uploads ${here}; wait until some have been answered.`,
    ),
  };
}
