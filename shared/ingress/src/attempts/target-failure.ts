import type { GatewayError } from '@model-gateway/canonical';

/** Time for which a key that its upstream refused rests, in milliseconds. */
export const refusedKeyMs = 30_000;

/** Difference between a timeout and the time that this process sees, in milliseconds. */
const timerError = 250;

/** A failure that says something about its target. */
export interface TargetFailure {
  /** True if the upstream refused the key, for whatever model. */
  ofKey: boolean;
  /** Time for which the target must rest, in milliseconds, if the failure says so. */
  asksMs?: number;
  error: string;
}

/** Kinds of errors of an upstream that another attempt at the same target would probably meet again. */
const failing: ReadonlySet<string> = new Set([
  'rate-limited',
  'quota-exceeded',
  'overloaded',
  'timeout',
  'upstream',
]);

/** The kinds of failures whose `retry-after` is a rest for the target. */
const asking: ReadonlySet<string> = new Set(['rate-limited', 'quota-exceeded', 'overloaded']);

/** Returns the failure of a target; undefined for an error that is not the upstream's, or that the request caused. */
export function failureOf({ kind, details }: GatewayError): TargetFailure | undefined {
  const { upstream, refusedKey = false, retryAfterMs } = details;
  if (!upstream || !failing.has(kind)) return undefined;
  const askedMs = asking.has(kind) && retryAfterMs ? retryAfterMs : undefined;
  const asksMs = refusedKey ? refusedKeyMs : askedMs;
  return { ofKey: refusedKey, ...(asksMs !== undefined && { asksMs }), error: kind };
}

/**
 * True for an upstream's answer that refuses the request, and not because of its own state. An unknown model says nothing:
 * with a `*`, clients choose the names, and a proxy without its upstream answers so, too.
 */
export function provesLife({ kind, details }: GatewayError): boolean {
  return details.upstream?.status !== undefined && kind !== 'not-found';
}

/** True if the deadline of a request ended an attempt `leftMs` before its end: its target had less time than it may take. */
export function isCutShort(
  { kind, details }: GatewayError,
  leftMs: number,
  servedMs: number,
  totalMs: number,
): boolean {
  const isOwn = kind === 'timeout' && details.upstream?.status === undefined;
  return isOwn && leftMs <= timerError && servedMs < totalMs - timerError;
}
