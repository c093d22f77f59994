import { failed, type Result, warning } from './check.ts';

/** Differences of clocks from which on there is a warning, and from which on it has failed, in milliseconds. */
const skewMs = { warning: 1_000, failed: 30_000 };

/** Times of control's clock around the reading of another, in milliseconds since 1970. */
export interface Reading {
  askedAt: number;
  answeredAt: number;
}

/** Returns the least difference of a clock from that of control that the reading proves, in milliseconds: positive if it is ahead. */
function leastSkew(at: number, { askedAt, answeredAt }: Reading): number {
  if (at > answeredAt) return at - answeredAt;
  return at < askedAt ? at - askedAt : 0;
}

/** Returns the finding about a clock that differs from that of control; none if it does not. `breaks`: what depends on it. */
export function skewOf(whose: string, at: number, reading: Reading, breaks: string): Result[] {
  const skew = leastSkew(at, reading);
  const size = Math.abs(skew);
  if (size < skewMs.warning) return [];
  const found = `the clock of ${whose} is ${(size / 1_000).toFixed(1)} s ${skew > 0 ? 'ahead of' : 'behind'} that of control`;
  const advice = `Synchronize the clocks of the machines (NTP). ${breaks}`;
  return [size >= skewMs.failed ? failed(found, advice) : warning(found, advice)];
}
