import { expect, test } from 'vitest';
import { chatStream, everyService } from '../load/questions.ts';
import type { Stage } from '../stage.ts';
import { expectAllClean, expectOnlyCut } from './expect-no-failure.ts';

/** Longer than the second in which a deleted pod's processes are ended. */
const longStream = chatStream('sim-t120-i50ms');

/** Pods that go without a chance to finish. */
export function kills(stage: () => Stage): void {
  /** Deletes a pod of a component without any grace. */
  async function kill(component: string): Promise<void> {
    const [pod] = await stage().release.pods(component);
    const name = pod?.metadata.name ?? '';
    await stage().namespace.kubectl(['delete', 'pod', name, '--grace-period=0', '--force', '--wait=false']);
  }

  test.each([
    ['worker-default', 2],
    ['nats', 3],
  ])(
    '%s is killed: nothing fails that had not begun',
    async (component, replicas) => {
      await using load = await stage().load([...everyService(), longStream]);
      await load.cleanAnswers(30);
      await kill(component);
      await stage().release.ready(component, replicas);
      await load.cleanAnswers(50);
      const seen = await load.end();
      console.log(`${component} was killed: ${seen.clean} clean answers, ${seen.cut.length} streams cut`);
      expectOnlyCut(seen, 80);
    },
    240_000,
  );

  test('every control is killed: requests go on, and tokens can be made again afterwards', async () => {
    const { release, target, namespace } = stage();
    await using load = await stage().load();
    await load.cleanAnswers(30);
    const controls = await release.pods('control');
    await Promise.all(
      controls.map(({ metadata }) =>
        namespace.kubectl(['delete', 'pod', metadata.name, '--grace-period=0', '--force', '--wait=false']),
      ),
    );
    await load.cleanAnswers(20);
    await release.ready('control', controls.length);
    const [control] = await release.pods('control');
    const made = await namespace.kubectl([
      ...[
        'exec',
        control?.metadata.name ?? '',
        '--',
        'gateway',
        'token',
        'create',
        '--name',
        'test',
        '--json',
      ],
    ]);
    const headers = { authorization: `Bearer ${JSON.parse(made).token}` };
    expect((await fetch(`${target.url}/v1/models`, { headers })).status).toBe(200);
    expectAllClean(await load.end(), 50);
  }, 240_000);
}
