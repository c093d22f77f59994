// Loaded into every process of a gateway by `touched.ts`. On SIGUSR2, it writes the files in which a function ran
// since the last SIGUSR2 to `<folder>/<pid>.json`; `folder` is a parameter of this module's URL.
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = new URL(import.meta.url).searchParams.get('folder');

if (isMainThread && folder) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const path = join(folder, `${process.pid}.json`);
  process.on('SIGUSR2', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    writeFileSync(`${path}.part`, JSON.stringify(ran.map(({ url }) => url)));
    renameSync(`${path}.part`, path);
  });
}
