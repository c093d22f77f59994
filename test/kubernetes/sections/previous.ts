import { test } from 'vitest';
import { Load } from '../load/load.ts';
import { everyService } from '../load/questions.ts';
import { Release } from '../release.ts';
import type { Stage } from '../stage.ts';
import { replicated } from '../values.ts';
import { expectAllClean } from './expect-no-failure.ts';

/** An upgrade from the previous version, in a separate release. */
export function previousVersion(stage: () => Stage): void {
  test('helm upgrade from the previous version, and rollback to it, answer every request', async ({
    skip,
  }) => {
    const { settings, namespace, release } = stage();
    const { previousImage: image } = settings;
    if (!image) return skip('GATEWAY_TEST_PREVIOUS_IMAGE names no image of the version before');
    // A small node has no room for two releases at once.
    await release.uninstall();
    const previous = new Release(namespace, release.name, settings.nodeAddress);
    await previous.apply(replicated({ ...settings, image }));
    // The previous version may not support a first token in the chart.
    const target = { ...(await previous.target()), token: await previous.createToken() };
    await using load = await Load.start(target, everyService(), 8);
    await load.cleanAnswers(20);
    await previous.apply(replicated(settings));
    await load.cleanAnswers(30);
    await previous.rollback();
    await load.cleanAnswers(30);
    expectAllClean(await load.end(), 80);
  }, 1_800_000);
}
