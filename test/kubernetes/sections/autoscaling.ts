import { expect, test } from 'vitest';
import { until } from '../../until.ts';
import { registerExternalMetrics, whyNoExternalMetrics } from '../external-metrics/register.ts';
import { chatStream } from '../load/questions.ts';
import type { Stage } from '../stage.ts';
import { poolModel, replicated } from '../values.ts';
import { expectAllClean } from './expect-no-failure.ts';

const pool = 'worker-second';
const grownMs = 180_000;
const shrunkMs = 240_000;

/** The chart's HorizontalPodAutoscalers, with the metrics of a real cluster. */
export function autoscaling(stage: () => Stage): void {
  /** The second pool with an autoscaler from one worker to three; `by` is its metric. */
  async function autoscale(by: object): Promise<void> {
    const { release, settings } = stage();
    const policies = [{ type: 'Pods', value: 4, periodSeconds: 15 }];
    const scaleDown = { stabilizationWindowSeconds: 5, policies };
    const autoscaling = { minReplicas: 1, maxReplicas: 3, behavior: { scaleDown }, ...by };
    await release.apply(replicated(settings, { second: { autoscaling } }));
    await release.ready(pool, 1, shrunkMs);
  }

  async function untilMore(): Promise<void> {
    await until(
      'The autoscaler adds a worker',
      async () => {
        return (await stage().release.pods(pool)).length > 1;
      },
      grownMs,
    );
  }

  test('a pool scaled by CPU grows under load and shrinks after it, and every request is answered', async () => {
    await autoscale({ cpu: '50m' });
    await using load = await stage().load([chatStream(poolModel('sim-t200'))], 60);
    await untilMore();
    const seen = await load.end();
    await stage().release.ready(pool, 1, shrunkMs);
    expectAllClean(seen, 100);
  }, 600_000);

  test('a pool scaled by calls in flight grows and shrinks, and every request is answered', async ({
    skip,
  }) => {
    const why = await whyNoExternalMetrics();
    if (why) skip(why);
    const { namespace, release, settings } = stage();
    const { repository, tag } = settings.image;
    const served = { image: `${repository}:${tag}`, release: release.name, pool: 'second' };
    await using _registered = await registerExternalMetrics(namespace, served);
    await autoscale({ with: 'external-metric', callsInFlight: 10 });
    // Forty concurrent streams, which use almost no CPU.
    await using load = await stage().load([chatStream(poolModel('sim-t40-i250ms'))], 4);
    await untilMore();
    const seen = await load.end();
    await release.ready(pool, 1, shrunkMs);
    expectAllClean(seen, 20);
    expect(seen.clean).toBeGreaterThan(20);
  }, 600_000);
}
