// Loaded into every process of a gateway by `touched.ts`. On SIGUSR2, it writes the files in which a function ran
// since the last SIGUSR2, and where they start, to `<folder>/<pid>.json`; `folder` is a parameter of this module's URL.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/** The functions of a file that ran: the offsets of their first characters. */
export interface Ran {
  url: string;
  starts: number[];
}

/** Time for timers that were due while the process was paused. */
const overdueMs = 250;

const folder = new URL(import.meta.url).searchParams.get('folder');

if (isMainThread && folder) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const path = join(folder, `${process.pid}.json`);
  process.on('SIGUSR2', async () => {
    await sleep(overdueMs);
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.map(({ url, functions }): Ran => {
      const ranges = functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range] : []));
      return { url, starts: ranges.map(({ startOffset }) => startOffset) };
    });
    writeFileSync(`${path}.part`, JSON.stringify(ran));
    renameSync(`${path}.part`, path);
  });
}
