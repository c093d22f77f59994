import { execFileSync } from 'node:child_process';

/** Run by Vitest before the tests that start programs or open the console: builds what is out of date. */
export function setup(): void {
  execFileSync(process.execPath, ['deploy/build/main.mjs'], { stdio: 'inherit' });
}
