import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newDataFolder } from '../testing/data-folder.ts';

/** Asks the embedded database in a folder for what it refuses, and logs the error and one that it causes. */
const program = `
  import { PGlite } from '@electric-sql/pglite';
  import { createLog } from '@model-gateway/service';
  import { sql } from 'drizzle-orm';
  import { drizzle } from 'drizzle-orm/pglite';
  const client = await PGlite.create(process.argv[1]);
  const log = createLog('test', 'info');
  const failed = drizzle({ client }).execute(sql\`select \${'hash-of-a-password'}::text, 1 / \${0}::int\`);
  const err = await failed.catch(error => error);
  log.error({ err }, 'request failed');
  log.error({ err: new Error('outer', { cause: err }) }, 'request failed');
  log.flush(() => process.exit(0));
`;

test('the log names a statement that failed and the reason, without its values', async () => {
  const data = await newDataFolder();
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, `${data}/control`],
    {
      ...{ cwd, encoding: 'utf8' },
    },
  );
  rmSync(data, { recursive: true });
  const lines = stdout.trim().split('\n');
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toContain('1 / $2::int');
    expect(line).toContain('division by zero');
    expect(line).not.toContain('hash-of-a-password');
  }
});
