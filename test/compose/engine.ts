import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** A suite that is skipped, and says why, where Docker cannot run it; `plugin` is what it needs beside an engine. */
export function describeInContainers(name: string, suite: () => void, plugin?: 'compose'): void {
  const why = whyNoContainers(plugin);
  if (why) console.warn(`test/${name} is skipped: ${why}`);
  describe.skipIf(why)(why ? `${name} (skipped: ${why})` : name, suite);
}

function whyNoContainers(plugin?: 'compose'): string | undefined {
  const answers = (...args: string[]) => spawnSync('docker', args, { timeout: 15_000 }).status === 0;
  if (!answers('info')) return 'no Docker engine answers';
  if (plugin && !answers(plugin, 'version')) return `Docker has no ${plugin} plugin`;
  return undefined;
}
