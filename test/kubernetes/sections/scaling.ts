import { expect, test } from 'vitest';
import { until } from '../../until.ts';
import { chatStream, wholeChat } from '../load/questions.ts';
import type { Stage } from '../stage.ts';
import { poolModel } from '../values.ts';
import { expectAllClean } from './expect-no-failure.ts';

const pool = 'worker-second';

/** A pool of workers that is scaled by hand under load. */
export function scaling(stage: () => Stage): void {
  test('a pool scales from one worker to four and back under load, and every request is answered', async () => {
    const { release } = stage();
    const questions = [wholeChat(poolModel('sim-t20')), chatStream(poolModel('sim-t80-i50ms'))];
    await using load = await stage().load(questions, 12);
    await load.cleanAnswers(20);
    await release.scale(pool, 4);
    await until(
      'All four workers serve calls at once',
      async () => {
        const calls = await Promise.all(
          (await release.pods(pool)).map(({ metadata }) => callsOf(metadata.name)),
        );
        return calls.length === 4 && calls.every(count => count > 0);
      },
      60_000,
    );
    await release.scale(pool, 1);
    await load.cleanAnswers(40);
    const seen = await load.end();
    expectAllClean(seen, 100);
    // Streams ran on the removed workers: each takes four seconds, and they began all the time.
    expect(load.most).toBeGreaterThan(8);
  }, 300_000);

  async function callsOf(worker: string): Promise<number> {
    const metrics = await stage().namespace.metrics(worker);
    return Number(/^gateway_calls_running (\d+)$/m.exec(metrics)?.[1]);
  }
}
