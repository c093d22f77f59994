import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

// Runs while the image is built, so that a container does not compile its program at each start: starts each service with an
// invalid setting. It ends once it is loaded, and writes its compiled code to NODE_COMPILE_CACHE.
for (const name of readdirSync(new URL('../services/', import.meta.url))) {
  const { status, stderr } = spawnSync(process.execPath, [...process.execArgv, 'dist/entry.js', name], {
    env: { ...process.env, LOG_LEVEL: 'invalid' },
    encoding: 'utf8',
  });
  if (status !== 1 || !stderr.includes('LOG_LEVEL')) throw new Error(`${name} was not loaded: ${stderr}`);
}
