import { expect, test } from 'vitest';
import { until } from '../../until.ts';
import { chatStream, everyService } from '../load/questions.ts';
import { isReady, type Namespace } from '../namespace.ts';
import type { Stage } from '../stage.ts';
import { crashNats, crashService } from './crash.ts';
import { expectAllClean, expectOnlyCut } from './expect-no-failure.ts';

const restartMs = 120_000;
const longStream = chatStream('sim-t120-i50ms');

type Crash = (namespace: Namespace, pod: string) => Promise<void>;

/** Crashes of processes, without a chance to stop in order. */
export function kills(stage: () => Stage): void {
  /** Crashes the pods of a component at these indexes, and waits until Kubernetes has restarted each. */
  async function crash(component: string, how: Crash, places: readonly number[]): Promise<void> {
    const { release, namespace } = stage();
    const all = await release.pods(component);
    const pods = all.filter((_, place) => places.includes(place));
    expect(pods).toHaveLength(places.length);
    await Promise.all(pods.map(({ metadata }) => how(namespace, metadata.name)));
    const restartsOf = (name: string, list: typeof pods) =>
      list.find(({ metadata }) => metadata.name === name)?.status.containerStatuses?.[0]?.restartCount ?? 0;
    await until(
      `${component} runs again`,
      async () => {
        const now = await release.pods(component);
        const again = pods.every(
          ({ metadata }) => restartsOf(metadata.name, now) > restartsOf(metadata.name, pods),
        );
        return again && now.every(isReady);
      },
      restartMs,
    );
  }

  // A NATS server without a stream at that moment cuts none, so each server is killed.
  test.each<[string, Crash, number]>([
    ['worker-default', crashService, 1],
    ['nats', crashNats, 3],
  ])(
    'killing %s fails no request that had not begun',
    async (component, how, times) => {
      await using load = await stage().load([...everyService(), longStream]);
      await load.cleanAnswers(30);
      for (let place = 0; place < times; place++) {
        await crash(component, how, [place]);
        await load.cleanAnswers(50);
      }
      const seen = await load.end();
      expectOnlyCut(seen, 80);
      // Cut streams prove that the process did not stop in order.
      expect(seen.cut.length).toBeGreaterThan(0);
    },
    240_000,
  );

  test('requests continue while every control is killed, and tokens can be created afterwards', async () => {
    const { release, target } = stage();
    await using load = await stage().load();
    await load.cleanAnswers(30);
    await crash('control', crashService, [0, 1]);
    const headers = { authorization: `Bearer ${await release.createToken()}` };
    expect((await fetch(`${target.url}/v1/models`, { headers })).status).toBe(200);
    await load.cleanAnswers(30);
    expectAllClean(await load.end(), 50);
  }, 240_000);
}
