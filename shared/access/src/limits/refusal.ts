import { busUnavailable } from '@model-gateway/bus';
import { GatewayError, overloaded } from '@model-gateway/canonical';
import { overspentError } from '../budgets/budget.ts';
import { windowMs } from './counts.ts';
import { ownerOf } from './limits.ts';
import type { Decision, Exceeded } from './messages.ts';

/** A limit that refuses requests, or a budget. */
export type RefusingLimit = Exceeded['limit'] | 'budget';

/** Time after which a client should retry while too many of its requests run, in milliseconds. */
const retryAfterMs = 1_000;

/** The error of a request while no process counts. `wasConnected`: true if NATS could be reached. */
export function uncheckable(what: 'limits' | 'budget', wasConnected: boolean): GatewayError {
  if (!wasConnected) return busUnavailable(true);
  const message = `The ${what} of this token cannot be checked at the moment.`;
  const reason = what === 'budget' ? 'budgets_unavailable' : 'limits_unavailable';
  return overloaded(reason, message, { retryAfterMs: 5_000 });
}

/** The error of a request that would exceed a limit. `tokens`: an estimate of those that it needs, 0 if there is none. */
export function refusal({ key, limit, value, waitMs }: Exceeded, tokens: number): GatewayError {
  const owner = `This ${ownerOf(key)}`;
  // SDKs ignore a longer wait, and retry at once. A request that comes half a second early is told to wait for the rest.
  const waits = waitMs === undefined ? undefined : Math.min(waitMs, windowMs);
  // Like a share of workers, it may be free again later, for background work too.
  const details = waits === undefined ? {} : { retryAfterMs: waits, share: true };
  const when = waits === undefined ? '' : ` Retry in ${Math.ceil(waits / 1_000)} s.`;
  const need = tokens > 0 ? `; this request may need ${tokens}` : '';
  switch (limit) {
    case 'requestsPerMinute':
      return new GatewayError(
        'rate-limited',
        `${owner} has reached its limit of ${value} requests per minute.${when}`,
        details,
      );
    case 'tokensPerMinute':
      return new GatewayError(
        'rate-limited',
        waits === undefined
          ? `${owner} has a limit of ${value} tokens per minute, and this request may need ${tokens}. Send a shorter prompt, or ask for fewer output tokens.`
          : `${owner} has reached its limit of ${value} tokens per minute${need}.${when}`,
        { ...details, ofTokens: true, ...(waits === undefined && { final: true }) },
      );
    case 'concurrency':
      return new GatewayError(
        'rate-limited',
        `${owner} has reached its limit of ${value} running requests. Wait until one has ended.`,
        { retryAfterMs, share: true },
      );
  }
}

/** Returns the error of a request that was refused; undefined if it was granted. */
export function refusalOf({ exceeded, overspent }: Decision, tokens: number): GatewayError | undefined {
  if (exceeded) return refusal(exceeded, tokens);
  return overspent && overspentError(overspent);
}
