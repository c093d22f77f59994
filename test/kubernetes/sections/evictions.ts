import { expect, test } from 'vitest';
import { until } from '../../until.ts';
import { Sessions } from '../load/sessions.ts';
import type { Pod } from '../namespace.ts';
import type { Stage } from '../stage.ts';
import { expectOnlyCut } from './expect-no-failure.ts';

const evictionMs = 120_000;

/** Draining a node evicts its pods in this way. */
export function evictions(stage: () => Stage): void {
  test('evicting every pod, one after another, fails no request that had not begun', async () => {
    const { release, namespace } = stage();
    const pods = inOrder(await release.pods());
    await using load = await stage().load();
    await using sessions = new Sessions(stage().target);
    let refusals = 0;
    for (const { metadata } of pods) {
      await until(
        `${metadata.name} may be evicted`,
        async () => {
          if (await namespace.evict(metadata.name)) return true;
          refusals++;
          return undefined;
        },
        evictionMs,
      );
    }
    // PostgreSQL without a volume lost its tables with its pod. Control recreates them at its start.
    await release.ready('postgres', 1);
    await namespace.kubectl(['rollout', 'restart', `deployment/${release.name}-control`]);
    await release.settled();
    await load.cleanAnswers(30);
    const seen = await load.end();
    await sessions.end();
    const evicted = new Set(pods.map(({ metadata }) => metadata.uid));
    const left = (await release.pods()).filter(({ metadata }) => evicted.has(metadata.uid));
    expect(left.map(({ metadata }) => metadata.name)).toEqual([]);
    console.log(
      `${pods.length} pods evicted, ${refusals} evictions put off by a budget, ${sessions.clean} sessions`,
    );
    expectOnlyCut(seen, 200);
    expect(sessions.failed).toEqual([]);
    // Budgets that allow every eviction would protect nothing.
    expect(refusals).toBeGreaterThan(0);
  }, 1_200_000);
}

const isPostgres = ({ metadata }: Pod) => metadata.labels['app.kubernetes.io/component'] === 'postgres';

/** The database is evicted last. */
function inOrder(pods: Pod[]): Pod[] {
  return pods.toSorted((one, other) => Number(isPostgres(one)) - Number(isPostgres(other)));
}
