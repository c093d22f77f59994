import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** The parts of Docker that a suite needs. */
interface Needed {
  plugin?: 'compose';
  /** The names of images, which are pulled if they are not there. */
  images?: string[];
}

/** A suite that is skipped with a reason if Docker cannot run it. */
export function describeInContainers(name: string, needed: Needed, suite: () => void): void {
  const why = whyNoContainers(needed);
  if (why) console.warn(`test/${name} is skipped: ${why}`);
  describe.skipIf(why)(why ? `${name} (skipped: ${why})` : name, suite);
}

function whyNoContainers({ plugin, images = [] }: Needed): string | undefined {
  const answers = (...args: string[]) => spawnSync('docker', args, { timeout: 120_000 }).status === 0;
  if (!answers('version')) return 'no Docker engine answers';
  if (plugin && !answers(plugin, 'version')) return `Docker has no ${plugin} plugin`;
  const missing = images.find(image => !answers('image', 'inspect', image) && !answers('pull', image));
  return missing && `Docker cannot pull ${missing}`;
}
