import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';

const folder = resolve(import.meta.dirname, '../../services/control/migrations');
const journalFile = 'meta/_journal.json';

/** Holds the migrations of the version that was recorded last. */
export const beforeFile = resolve(import.meta.dirname, 'before.json');

interface Journal {
  entries: { tag: string; when: number }[];
}

export function journal(): Journal {
  return JSON.parse(readFileSync(join(folder, journalFile), 'utf8'));
}

/** Every current migration in order, by its name, and the SHA-256 of its file. */
export function migrationHashes(): Record<string, string> {
  const hash = (tag: string) => createHash('sha256').update(readFileSync(join(folder, `${tag}.sql`)));
  return Object.fromEntries(journal().entries.map(({ tag }) => [tag, hash(tag).digest('hex')]));
}

/** Migrates a database to the current version, or up to the named migrations. */
export async function migrateTo(
  client: PGlite,
  tags: readonly string[] = Object.keys(migrationHashes()),
): Promise<void> {
  const part = mkdtempSync(join(tmpdir(), 'migrations-'));
  try {
    const whole = journal();
    mkdirSync(join(part, 'meta'));
    const entries = whole.entries.filter(({ tag }) => tags.includes(tag));
    writeFileSync(join(part, journalFile), JSON.stringify({ ...whole, entries }));
    for (const { tag } of entries) copyFileSync(join(folder, `${tag}.sql`), join(part, `${tag}.sql`));
    await migrate(drizzle({ client }), { migrationsFolder: part });
  } finally {
    rmSync(part, { recursive: true });
  }
}

if (import.meta.main) {
  writeFileSync(beforeFile, `${JSON.stringify(migrationHashes(), undefined, 2)}\n`);
  console.log(`wrote ${beforeFile}`);
}
