import { defineConfig } from 'drizzle-kit';

// Makes migrations from the tables: see "Changing stored data" in CONTRIBUTING.md.
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/database/*tables.ts',
  out: './migrations',
});
