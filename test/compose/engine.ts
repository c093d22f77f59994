import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** A suite that is skipped with a reason if Docker cannot run it; `plugin` is a required Docker plugin. */
export function describeInContainers(name: string, suite: () => void, plugin?: 'compose'): void {
  const why = whyNoContainers(plugin);
  if (why) console.warn(`test/${name} is skipped: ${why}`);
  describe.skipIf(why)(why ? `${name} (skipped: ${why})` : name, suite);
}

function whyNoContainers(plugin?: 'compose'): string | undefined {
  const answers = (...args: string[]) => spawnSync('docker', args, { timeout: 60_000 }).status === 0;
  if (!answers('version')) return 'no Docker engine answers';
  if (plugin && !answers(plugin, 'version')) return `Docker has no ${plugin} plugin`;
  return undefined;
}
