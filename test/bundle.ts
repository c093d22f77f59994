import { execFileSync } from 'node:child_process';

/** Run by Vitest before the tests that start programs: bundles them if their source has changed. */
export function setup(): void {
  const flags = ['--ui=stream', '--output-logs=errors-only', '--log-prefix=none'];
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  execFileSync('node_modules/.bin/turbo', ['run', '//#bundle', ...flags], { env, stdio: 'pipe' });
}
