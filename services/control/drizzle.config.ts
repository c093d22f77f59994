// The settings of drizzle-kit, which makes migrations from the tables: see "Changing stored data" in CONTRIBUTING.md.
export default {
  dialect: 'postgresql',
  schema: './src/database/*tables.ts',
  out: './migrations',
};
