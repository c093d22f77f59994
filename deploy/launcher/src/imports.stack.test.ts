import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Prints the URL of every module that the launcher loads. */
const program = `
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
await import(${JSON.stringify(new URL('./gateway.ts', import.meta.url).href)});
`;

test('the launcher, which runs all the time, loads no server, no log and no client of NATS', () => {
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  const packages = new Set(
    [...loaded.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name),
  );
  expect([...packages].toSorted()).toEqual(['yaml', 'zod']);
});
