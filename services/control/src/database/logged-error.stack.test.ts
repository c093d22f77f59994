import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Asks an embedded database for what it refuses, and logs the error and one that it causes. */
const program = `
  import { PGlite } from '@electric-sql/pglite';
  import { createLog } from '@model-gateway/service';
  import { sql } from 'drizzle-orm';
  import { drizzle } from 'drizzle-orm/pglite';
  const client = await PGlite.create();
  const log = createLog('test', 'info');
  const failed = drizzle({ client }).execute(sql\`select \${'hash-of-a-password'}::text, 1 / \${0}::int\`);
  const err = await failed.catch(error => error);
  log.error({ err }, 'request failed');
  log.error({ err: new Error('outer', { cause: err }) }, 'request failed');
  log.flush(() => process.exit(0));
`;

test('the log names a statement that failed and the reason, without its values', () => {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    ...{ cwd, encoding: 'utf8' },
  });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain('1 / $2::int');
    expect(line).toContain('division by zero');
    expect(line).not.toContain('hash-of-a-password');
  }
});
