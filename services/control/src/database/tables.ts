import type { Model, StoredProvider } from '@model-gateway/catalog';
import { sql } from 'drizzle-orm';
import { bigint, integer, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** What a changed row's version becomes. */
export const nextVersion = sql`nextval('versions')`;

const version = () => bigint({ mode: 'number' }).notNull().default(nextVersion);
const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

export const projects = pgTable('projects', {
  id: uuid().primaryKey().defaultRandom(),
  name: text().notNull().unique(),
  createdAt: createdAt(),
});

export const tokens = pgTable('tokens', {
  id: uuid().primaryKey().defaultRandom(),
  projectId: uuid('project_id')
    .notNull()
    .references(() => projects.id),
  name: text().notNull(),
  /** Of the secret, which is kept nowhere. */
  hash: text().notNull().unique(),
  /** The secret's first characters, by which a person knows it again. */
  prefix: text().notNull(),
  createdAt: createdAt(),
  expiresAt: timestamp('expires_at', { withTimezone: true }),
  revokedAt: timestamp('revoked_at', { withTimezone: true }),
  version: version(),
});

export const providers = pgTable('providers', {
  name: text().primaryKey(),
  data: jsonb().$type<StoredProvider>().notNull(),
  position: integer().notNull(),
  createdAt: createdAt(),
  version: version(),
});

export const models = pgTable('models', {
  name: text().primaryKey(),
  data: jsonb().$type<Model>().notNull(),
  position: integer().notNull(),
  createdAt: createdAt(),
  version: version(),
});
