import type { Target } from '../../test/kubernetes/load/ask.ts';
import type { Release } from '../../test/kubernetes/release.ts';
import { until } from '../../test/until.ts';
import { wholePerSecond } from './measure.ts';

/** Below this lag in seconds, control writes records as fast as they arrive. */
const lagging = 1;
const caughtUpMs = 600_000;

/**
 * Usage records a second that control writes to SQL: those of a load of `seconds` and its warm-up, divided by
 * the time until the ledger has them all.
 */
export async function recordsPerSecond(release: Release, target: Target, seconds: number): Promise<string> {
  const beganAt = performance.now();
  const rate = await wholePerSecond(target, seconds);
  const loadS = (performance.now() - beganAt) / 1_000;
  const behind = (await lagOf(release)) > lagging;
  await until('The ledger has every record', async () => (await lagOf(release)) < lagging, caughtUpMs);
  const allS = (performance.now() - beganAt) / 1_000;
  return behind ? ((rate * loadS) / allS).toFixed(0) : `more than ${rate.toFixed(0)}`;
}

/** The age in seconds of the oldest record that SQL does not have. */
async function lagOf(release: Release): Promise<number> {
  const [control] = await release.pods('control');
  const metrics = await release.namespace.metrics(control?.metadata.name ?? '');
  return Number(/^gateway_ledger_lag_seconds (\S+)$/m.exec(metrics)?.[1]);
}
