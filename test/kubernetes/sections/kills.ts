import { expect, test } from 'vitest';
import { chatStream, everyService } from '../load/questions.ts';
import { isReady, type Namespace } from '../namespace.ts';
import type { Stage } from '../stage.ts';
import { until } from '../until.ts';
import { crashNats, crashService } from './crash.ts';
import { expectAllClean, expectOnlyCut } from './expect-no-failure.ts';

const restartMs = 120_000;
const longStream = chatStream('sim-t120-i50ms');

type Crash = (namespace: Namespace, pod: string) => Promise<void>;

/** Processes that end without a chance to finish. */
export function kills(stage: () => Stage): void {
  /** Crashes some pods of a component, and waits until Kubernetes has started each again. */
  async function crash(component: string, how: Crash, count: number): Promise<void> {
    const { release, namespace } = stage();
    const pods = (await release.pods(component)).slice(0, count);
    expect(pods).toHaveLength(count);
    await Promise.all(pods.map(({ metadata }) => how(namespace, metadata.name)));
    const restartsOf = (name: string, list: typeof pods) =>
      list.find(({ metadata }) => metadata.name === name)?.status.containerStatuses?.[0]?.restartCount ?? 0;
    await until(`${component} runs again`, restartMs, async () => {
      const now = await release.pods(component);
      const again = pods.every(
        ({ metadata }) => restartsOf(metadata.name, now) > restartsOf(metadata.name, pods),
      );
      return (again && now.every(isReady)) || undefined;
    });
  }

  test.each<[string, Crash]>([
    ['worker-default', crashService],
    ['nats', crashNats],
  ])(
    '%s is killed: nothing fails that had not begun',
    async (component, how) => {
      await using load = await stage().load([...everyService(), longStream]);
      await load.cleanAnswers(30);
      await crash(component, how, 1);
      await load.cleanAnswers(50);
      const seen = await load.end();
      expectOnlyCut(seen, 80);
      // What it was serving is what shows that it did not go in order.
      expect(seen.cut.length).toBeGreaterThan(0);
    },
    240_000,
  );

  test('every control is killed: requests go on, and tokens can be made again afterwards', async () => {
    const { release, target } = stage();
    await using load = await stage().load();
    await load.cleanAnswers(30);
    await crash('control', crashService, 2);
    const headers = { authorization: `Bearer ${await release.createToken()}` };
    expect((await fetch(`${target.url}/v1/models`, { headers })).status).toBe(200);
    await load.cleanAnswers(30);
    expectAllClean(await load.end(), 50);
  }, 240_000);
}
