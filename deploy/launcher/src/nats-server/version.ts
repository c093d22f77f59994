import { command } from './command.ts';

const minimum = [2, 12] as const;
export const minimumVersion = minimum.join('.');

/** Whether a version such as `2.15.1` or `v2.12.0-RC.1` is new enough: the bus needs JetStream's counters. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > minimum[0] || (major === minimum[0] && minor >= minimum[1]);
}

/** Runs a nats-server to learn its version; rejects unless it runs here and is new enough. */
export async function checkVersion(path: string, signal?: AbortSignal): Promise<string> {
  const printed = await command(path, ['--version'], { timeoutMs: 10_000, ...(signal && { signal }) });
  const version = /v(\d+\.\d+\S*)/.exec(printed)?.[1];
  if (!version) throw new Error(`${path} does not say its version`);
  if (!isNewEnough(version)) throw new Error(`${path} is ${version}, older than ${minimumVersion}`);
  return version;
}
