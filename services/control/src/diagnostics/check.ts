import type { Finding } from '@model-gateway/admin-api';
import type { Clock } from '@model-gateway/clock';
import { reasonOf } from '../database/unreachable.ts';

/** The longest time of a check, in milliseconds. */
const checkMs = 4_000;

/** A check of the installation; it may throw. */
export interface Check {
  name: string;
  /** The advice if the check cannot be made. */
  advice: string;
  run(): Promise<Result[]>;
}

/** A finding without the name of its check. */
export type Result = Omit<Finding, 'check'>;

export function ok(found: string): Result {
  return { status: 'ok', found, advice: null };
}

export function warning(found: string, advice: string): Result {
  return { status: 'warning', found, advice };
}

export function failed(found: string, advice: string): Result {
  return { status: 'failed', found, advice };
}

/** Makes all checks at once, each for a bounded time. One that throws or takes too long has failed. */
export async function runChecks(checks: readonly Check[], clock: Clock): Promise<Finding[]> {
  const made = await Promise.all(checks.map(check => runOne(check, clock)));
  return made.flat();
}

async function runOne({ name, advice, run }: Check, clock: Clock): Promise<Finding[]> {
  const late = Promise.withResolvers<Result[]>();
  const timer = clock.setTimeout(
    () => late.resolve([failed(`did not answer within ${checkMs / 1_000} s`, advice)]),
    checkMs,
  );
  try {
    const results = await Promise.race([run(), late.promise]);
    return results.map(result => ({ check: name, ...result }));
  } catch (error) {
    return [{ check: name, ...failed(reasonOf(error), advice) }];
  } finally {
    clock.clearTimeout(timer);
  }
}
