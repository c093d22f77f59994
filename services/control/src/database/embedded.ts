import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { ConfigError, lockFile } from '@model-gateway/service';
import type { MigrationConfig } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { createEmbedded, withoutOptimizer } from './create-embedded.ts';
import type { OpenDatabase } from './database.ts';
import { noClaims } from './file-claims.ts';
import { whyForeign } from './migrated.ts';

/** One connection and small tables need little: PostgreSQL's own defaults take 150 MiB more. */
const startParams = [
  ...PGlite.defaultStartParams,
  ...['shared_buffers=8MB', 'wal_buffers=1MB', 'max_connections=3', 'jit=off'].flatMap(each => ['-c', each]),
];

/** Opens PGlite in `control` of the data folder. @throws ConfigError if another process has it open, or it cannot be used */
export async function openEmbedded(dataFolder: string, migrations: MigrationConfig): Promise<OpenDatabase> {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockDatabase(join(dataFolder, 'control-lock'));
  try {
    const folder = join(dataFolder, 'control');
    await createEmbedded(folder);
    for (const flag of withoutOptimizer) setFlagsFromString(flag);
    const client = await PGlite.create(folder, { startParams });
    const db = drizzle({ client });
    const foreign = await whyForeign(db, migrations);
    if (foreign) {
      await client.close();
      throw new ConfigError(`${folder}: cannot be used: ${foreign}`);
    }
    await migrate(db, migrations);
    return {
      db,
      claims: noClaims(),
      async copy(table, columns, rows) {
        const names = columns.map(name => `"${name}"`).join(', ');
        const blob = new Blob([rows]);
        await client.query(`copy "${table}" (${names}) from '/dev/blob' with (format binary)`, [], { blob });
      },
      close: () => client.close().finally(() => lock[Symbol.dispose]()),
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

function lockDatabase(path: string): Disposable {
  const lock = lockFile(path);
  if (lock) return lock;
  throw new ConfigError(
    `${path}: another control uses this data folder; set DATABASE_URL to a PostgreSQL database to run several`,
  );
}
