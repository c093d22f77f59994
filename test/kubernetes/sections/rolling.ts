import { expect, test } from 'vitest';
import { Sessions } from '../load/sessions.ts';
import type { Stage } from '../stage.ts';
import { replicated } from '../values.ts';
import { expectAllClean, expectOnlyCut } from './expect-no-failure.ts';

/** Upgrades and rollbacks of the release under load. */
export function rolling(stage: () => Stage): void {
  const uids = async () => {
    const pods = await stage().release.pods();
    return new Map(pods.map(({ metadata }) => [metadata.uid, metadata.name]));
  };

  /** Runs `change` under load, and expects every pod of every Deployment to be replaced. */
  async function rolled(change: () => Promise<void>): Promise<void> {
    const before = await uids();
    await using load = await stage().load();
    await using sessions = new Sessions(stage().target);
    await load.cleanAnswers(20);
    await change();
    await load.cleanAnswers(30);
    const seen = await load.end();
    await sessions.end();
    const kept = [...(await uids())].filter(([uid]) => before.has(uid)).map(([, name]) => name);
    expect(kept.filter(name => !/-(nats|postgres)-\d+$/.test(name))).toEqual([]);
    expectAllClean(seen, 100);
    expect(sessions.failed).toEqual([]);
  }

  test('helm upgrade rolls every Deployment, and every request is answered', async () => {
    const { release, settings } = stage();
    await rolled(() => release.apply(replicated(settings, { rolled: 'once' })));
  }, 900_000);

  test('helm rollback restores the previous revision, and every request is answered', async () => {
    const { release } = stage();
    const before = await release.revision();
    await rolled(() => release.rollback(before - 1));
    expect(await release.revision()).toBe(before + 1);
  }, 900_000);

  test('rolling NATS by its StatefulSet fails no request that had not begun', async () => {
    const { namespace, release } = stage();
    await using load = await stage().load();
    await load.cleanAnswers(20);
    const set = `statefulset/${release.name}-nats`;
    await namespace.kubectl(['rollout', 'restart', set]);
    await namespace.kubectl(['rollout', 'status', set, '--timeout=5m'], { timeoutMs: 310_000 });
    await load.cleanAnswers(30);
    expectOnlyCut(await load.end(), 60);
  }, 600_000);
}
