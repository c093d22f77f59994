import type { AccountRole, AuditEntry, ProjectRole } from '@model-gateway/admin-api';
import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { projects, users } from './tables.ts';

const time = (name: string) => timestamp(name, { withTimezone: true });
const createdAt = () => time('created_at').notNull().defaultNow();
const userId = () =>
  uuid('user_id')
    .notNull()
    .references(() => users.id);
const projectId = () =>
  uuid('project_id')
    .notNull()
    .references(() => projects.id);

/** The ways in which users sign in. A user without a row cannot. */
export const logins = pgTable(
  'logins',
  {
    userId: userId().primaryKey(),
    email: text(),
    admin: boolean().notNull().default(false),
    disabled: boolean().notNull().default(false),
    /** Argon2id as a PHC string; null without a password. */
    password: text(),
    /** The OpenID provider, and the user's id there; null for a login without one. */
    issuer: text(),
    subject: text(),
    createdAt: createdAt(),
    lastSignInAt: time('last_sign_in_at'),
  },
  ({ email, issuer, subject }) => [
    uniqueIndex('logins_email').on(sql`lower(${email})`),
    uniqueIndex('logins_subject').on(issuer, subject),
  ],
);

export const memberships = pgTable(
  'memberships',
  { userId: userId(), projectId: projectId(), role: text().$type<ProjectRole>().notNull() },
  ({ userId, projectId }) => [
    primaryKey({ columns: [userId, projectId] }),
    index('memberships_project').on(projectId),
  ],
);

/** Sessions of users. */
export const sessions = pgTable(
  'sessions',
  {
    /** The hash of the secret in the cookie. */
    hash: text().primaryKey(),
    userId: userId(),
    createdAt: createdAt(),
    /** The last request, to the minute. */
    seenAt: time('seen_at').notNull().defaultNow(),
    endsAt: time('ends_at').notNull(),
  },
  ({ userId, endsAt }) => [index('sessions_user').on(userId), index('sessions_end').on(endsAt)],
);

/** Attempts to sign in, by the hash of an account or an address. */
export const signInAttempts = pgTable(
  'sign_in_attempts',
  {
    key: text().primaryKey(),
    attempts: integer().notNull(),
    endsAt: time('ends_at').notNull(),
  },
  ({ endsAt }) => [index('sign_in_attempts_end').on(endsAt)],
);

/** Service accounts. */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid().primaryKey().defaultRandom(),
    name: text().notNull(),
    role: text().$type<AccountRole>().notNull(),
    /** The hash of the token. */
    hash: text().notNull().unique(),
    prefix: text().notNull(),
    createdAt: createdAt(),
    expiresAt: time('expires_at').notNull(),
    revokedAt: time('revoked_at'),
    /** To the minute. */
    lastUsedAt: time('last_used_at'),
  },
  ({ id, createdAt, revokedAt }) => [
    index('accounts_newest')
      .on(createdAt.desc().nullsFirst(), id.desc().nullsFirst())
      .where(sql`${revokedAt} IS NULL`),
  ],
);

export const accountProjects = pgTable(
  'account_projects',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    projectId: projectId(),
  },
  ({ accountId, projectId }) => [
    primaryKey({ columns: [accountId, projectId] }),
    index('account_projects_project').on(projectId),
  ],
);

/** The audit log. A trigger refuses to change or remove its rows. */
export const audit = pgTable(
  'audit',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    actorKind: text('actor_kind').$type<AuditEntry['actorKind']>().notNull(),
    actor: text().notNull(),
    actorId: text('actor_id'),
    address: text(),
    requestId: text('request_id'),
    action: text().notNull(),
    subjectKind: text('subject_kind').$type<AuditEntry['subjectKind']>().notNull(),
    subjectId: text('subject_id'),
    subject: text().notNull(),
    project: text(),
    before: jsonb().$type<Record<string, unknown>>(),
    after: jsonb().$type<Record<string, unknown>>(),
  },
  ({ id, at, actor, project }) => [
    index('audit_at').on(at),
    index('audit_actor').on(actor, id),
    index('audit_project').on(project, id),
  ],
);

/** Requests with an `Idempotency-Key`, and their answers. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    /** A keyed hash of the caller and the key. */
    hash: text().primaryKey(),
    /** A keyed hash of the request's content. */
    request: text().notNull(),
    /** The id of the request that may answer. */
    claim: text().notNull(),
    /** The time until which that request may be running. */
    claimedUntil: time('claimed_until').notNull(),
    expiresAt: time('expires_at').notNull(),
    /** The answer, sealed; null until there is one. */
    answer: text(),
  },
  ({ expiresAt }) => [index('idempotency_keys_end').on(expiresAt)],
);
