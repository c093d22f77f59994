import type { Budget, Limits, Scopes } from '@model-gateway/access';
import type { Model, Price, Project, StoredProvider, User } from '@model-gateway/catalog';
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uuid,
} from 'drizzle-orm/pg-core';

/** One sequence for all rows: a higher version is a later change, whatever it changed. */
export const versions = pgSequence('versions');
/** The next version, for a changed row. */
export const nextVersion = sql`nextval('versions')`;

const version = () => bigint({ mode: 'number' }).notNull().default(nextVersion);
const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

/** Defines a table of projects or users. */
const groupRows = <Settings extends object>(tableName: string) =>
  pgTable(
    tableName,
    {
      id: uuid().primaryKey().defaultRandom(),
      name: text().notNull().unique(),
      createdAt: createdAt(),
      /** The settings of the API. A field that is absent sets nothing. */
      settings: jsonb().$type<Settings>().notNull().default(sql`'{}'`),
      /** The version of the settings; 0 if there were none yet. */
      version: bigint({ mode: 'number' }).notNull().default(0),
      /** The row stays, because its revoked tokens do. */
      deletedAt: timestamp('deleted_at', { withTimezone: true }),
    },
    // The order of pages, the same whatever the language of the database.
    ({ name, deletedAt }) => [
      index(`${tableName}_by_name`).on(sql`${name} COLLATE "C"`).where(sql`${deletedAt} IS NULL`),
    ],
  );
export type GroupRows<Settings extends object> = ReturnType<typeof groupRows<Settings>>;

export type ProjectSettings = Omit<Project, 'name'>;
export type UserSettings = Omit<User, 'name'>;

export const projects = groupRows<ProjectSettings>('projects');
/** People and programs that own tokens. */
export const users = groupRows<UserSettings>('users');

/** The scopes, limits, budget and tags of a token. A field that is absent allows everything. */
export interface TokenSettings extends Scopes {
  limits?: Limits;
  budget?: Budget;
  tags?: Record<string, string>;
}

export const tokens = pgTable(
  'tokens',
  {
    id: uuid().primaryKey().defaultRandom(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id),
    ownerId: uuid('owner_id').references(() => users.id),
    /** The service account that made it; null for another caller. */
    accountId: uuid('account_id'),
    name: text().notNull(),
    /** The hash of the secret. The secret itself is not stored. */
    hash: text().notNull().unique(),
    /** The secret's first characters, for people to identify it. */
    prefix: text().notNull(),
    createdAt: createdAt(),
    expiresAt: timestamp('expires_at', { withTimezone: true }),
    revokedAt: timestamp('revoked_at', { withTimezone: true }),
    disabled: boolean().notNull().default(false),
    settings: jsonb().$type<TokenSettings>().notNull().default({}),
    /** Start of the token's last attempt at an upstream, to the minute. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    version: version(),
  },
  ({ id, projectId, ownerId, accountId, createdAt, revokedAt, version }) => {
    // An index resets the order of its columns, so each gets them again.
    const newest = () => [createdAt.desc().nullsFirst(), id.desc().nullsFirst()] as const;
    const live = sql`${revokedAt} IS NULL`;
    return [
      index('tokens_live').on(createdAt.desc().nullsFirst(), version.desc().nullsFirst()).where(live),
      // The order of the pages, also of those of a project or an owner.
      index('tokens_newest')
        .on(...newest())
        .where(live),
      index('tokens_project_newest')
        .on(projectId, ...newest())
        .where(live),
      index('tokens_owner_newest')
        .on(ownerId, ...newest())
        .where(live),
      index('tokens_account').on(accountId).where(sql`${accountId} IS NOT NULL`),
    ];
  },
);

/** Secrets that a token had before it was rotated. They stay, so that KV keeps refusing them. */
export const previousSecrets = pgTable(
  'previous_secrets',
  {
    hash: text().primaryKey(),
    tokenId: uuid('token_id')
      .notNull()
      .references(() => tokens.id),
    validUntil: timestamp('valid_until', { withTimezone: true }).notNull(),
  },
  ({ tokenId }) => [index('previous_secrets_token').on(tokenId)],
);

/** Defines a table of the catalog. `position` is that in the file, or among the entries of the API. */
const catalogRows = <Data>(name: string) =>
  pgTable(name, {
    name: text().primaryKey(),
    data: jsonb().$type<Data>().notNull(),
    position: integer().notNull(),
    createdAt: createdAt(),
    version: version(),
  });
export type CatalogRows<Data> = ReturnType<typeof catalogRows<Data>>;

export const providers = catalogRows<StoredProvider>('providers');
export const models = catalogRows<Model>('models');
/** The providers of the admin API. */
export const apiProviders = catalogRows<StoredProvider>('api_providers');
/** The models of the admin API. */
export const apiModels = catalogRows<Model>('api_models');
/** The models that providers list themselves, as far as no entry has their names. */
export const discoveredModels = catalogRows<Model>('discovered_models');
/** The last list of each provider whose models are discovered, and its last refresh. */
export const discoveries = pgTable('discoveries', {
  provider: text().primaryKey(),
  /** The version of the provider at the last refresh. */
  providerVersion: bigint('provider_version', { mode: 'number' }).notNull().default(0),
  /** The names at the provider. A refresh that fails keeps them. */
  names: jsonb().$type<string[]>().notNull().default([]),
  refreshedAt: timestamp('refreshed_at', { withTimezone: true }),
  nextAt: timestamp('next_at', { withTimezone: true }),
  /** The time until which one control refreshes it alone. */
  claimedUntil: timestamp('claimed_until', { withTimezone: true }),
  /** The number of failures since the last list. */
  failures: integer().notNull().default(0),
  error: text(),
});
/** The project settings of gateway.yaml. Not every project has any. */
export const projectSettings = catalogRows<Project>('project_settings');
/** The user settings of gateway.yaml. */
export const userSettings = catalogRows<User>('user_settings');

export const counted = (name: string) => bigint(name, { mode: 'number' }).notNull();

/**
 * The ledger: one row for each attempt at an upstream, in the shape of a `UsageRecord`. A migration partitions it by the time in the ids,
 * and triggers on it keep the roll-ups.
 */
export const usage = pgTable(
  'usage',
  {
    id: uuid().primaryKey(),
    requestId: text('request_id').notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    ms: integer().notNull(),
    firstMs: integer('first_ms'),
    operation: text().notNull(),
    format: text().notNull(),
    stream: boolean().notNull(),
    model: text().notNull(),
    /** The model that took the request over. */
    fallback: text(),
    provider: text().notNull(),
    upstreamModel: text('upstream_model').notNull(),
    tokenId: text('token_id').notNull(),
    project: text().notNull(),
    /** The token's owner at the time of the attempt; null for none. */
    owner: text(),
    /** The token's tags at the time of the attempt; null for none. */
    tags: jsonb().$type<Record<string, string>>(),
    outcome: text().notNull(),
    error: text(),
    /** The HTTP status of the upstream's answer to an attempt that failed. */
    upstreamStatus: integer('upstream_status'),
    upstreamMessage: text('upstream_message'),
    /** False if another attempt followed, or if it is one of several calls for one answer. */
    final: boolean().notNull(),
    /** The administrator who ended the request; null if none did. */
    endedBy: text('ended_by'),
    /** Null unless the model generated an answer to its end. */
    finishReason: text('finish_reason'),
    charged: boolean().notNull(),
    /** True if the counts were reported or estimated. Otherwise they are 0 and have no meaning. */
    known: boolean().notNull(),
    estimated: boolean().notNull(),
    byCaller: boolean('by_caller').notNull(),
    input: counted('input'),
    cachedInput: counted('cached_input'),
    cacheWrite5m: counted('cache_write_5m'),
    cacheWrite1h: counted('cache_write_1h'),
    audioInput: counted('audio_input'),
    imageInput: counted('image_input'),
    output: counted('output'),
    reasoning: counted('reasoning'),
    audioOutput: counted('audio_output'),
    images: counted('images'),
    /** Seconds of audio. */
    seconds: doublePrecision().notNull(),
    characters: counted('characters'),
    searches: counted('searches'),
    /** Searches of the web by a hosted tool. */
    webSearches: counted('web_searches'),
    /** The names of the tools that the upstream ran, joined by commas; null for none. */
    hostedTools: text('hosted_tools'),
    /** Null if it was not asked for, nor said by the upstream. */
    serviceTier: text('service_tier'),
    /** The upstream's usage object, unchanged. */
    raw: jsonb(),
    /** In US dollars; null if the usage or the price is unknown. */
    cost: doublePrecision(),
    /** The version of the prices that it was settled by. */
    priceVersion: text('price_version'),
  },
  ({ at, tokenId, requestId }) => [
    index('usage_at').on(at),
    index('usage_token').on(tokenId, at),
    index('usage_request').on(requestId),
  ],
);

/** The prices that attempts were settled by: those of the catalog, or null for a version of the package of prices. */
export const prices = pgTable('prices', {
  version: text().primaryKey(),
  price: jsonb().$type<Price>(),
  firstUsedAt: timestamp('first_used_at', { withTimezone: true }).notNull().defaultNow(),
});

/** Records that the ledger cannot hold. */
export const usageRejected = pgTable('usage_rejected', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  at: timestamp({ withTimezone: true }).notNull().defaultNow(),
  reason: text().notNull(),
  /** The record as JSON in ASCII. */
  record: text().notNull(),
  /** The SHA-256 of the record, so that a record which is delivered twice is stored once. */
  hash: text().notNull().unique(),
});

const refusal = () => ({
  /** Empty if no token is known. */
  tokenId: text('token_id').notNull(),
  /** Empty without a token. */
  project: text().notNull(),
  owner: text(),
  /** Empty if it was not looked up. */
  model: text().notNull(),
  /** The HTTP status. */
  status: integer().notNull(),
  reason: text().notNull(),
});

/** Numbers of the requests that the gateway refused before it called an upstream. */
export const refusedCounts = pgTable(
  'refused_counts',
  {
    /** Start of the minute, or of the hour if `process` is empty. */
    start: timestamp({ withTimezone: true }).notNull(),
    process: text().notNull(),
    ...refusal(),
    count: counted('count'),
  },
  ({ start, process, tokenId, model, status, reason }) => [
    primaryKey({ columns: [start, process, tokenId, model, status, reason] }),
  ],
);

/** A few of these requests. */
export const refusedRequests = pgTable(
  'refused_requests',
  {
    /** A UUIDv7. */
    id: uuid().primaryKey(),
    requestId: text('request_id').notNull(),
    at: timestamp({ withTimezone: true }).notNull(),
    /** The path of the endpoint. */
    endpoint: text().notNull(),
    ...refusal(),
    code: text(),
    param: text(),
  },
  ({ id, requestId, tokenId, at }) => [
    index('refused_requests_request').on(requestId),
    index('refused_requests_token').on(tokenId, id),
    index('refused_requests_at').on(at),
  ],
);

/** Thresholds that the spending of a budget has reached: each is told once for a budget and a period. */
export const budgetNotices = pgTable(
  'budget_notices',
  {
    id: uuid().primaryKey().defaultRandom(),
    kind: text().notNull(),
    /** The id of a token, the name of a project or a user. */
    name: text().notNull(),
    period: text().notNull(),
    periodStart: timestamp('period_start', { withTimezone: true }).notNull(),
    amount: doublePrecision().notNull(),
    /** In percent of the amount. */
    threshold: doublePrecision().notNull(),
    /** The body of the webhook. */
    body: text().notNull(),
    createdAt: createdAt(),
    attempts: integer().notNull().default(0),
    /** Null once it was delivered or given up, and without a webhook. */
    nextAttemptAt: timestamp('next_attempt_at', { withTimezone: true }),
  },
  ({ kind, name, period, periodStart, amount, threshold, nextAttemptAt }) => [
    unique('budget_notices_once').on(kind, name, period, periodStart, amount, threshold),
    index('budget_notices_due').on(nextAttemptAt).where(sql`${nextAttemptAt} IS NOT NULL`),
  ],
);

/** The texts of requests and their answers, of projects with request logging. */
export const loggedRequests = pgTable(
  'logged_requests',
  {
    /** A UUIDv7. */
    id: uuid().primaryKey(),
    requestId: text('request_id').notNull(),
    /** Start of the request. */
    at: timestamp({ withTimezone: true }).notNull(),
    /** The time from which it is no longer shown, and is deleted. */
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    ms: integer().notNull(),
    format: text().notNull(),
    model: text().notNull(),
    tokenId: text('token_id').notNull(),
    project: text().notNull(),
    owner: text(),
    /** The HTTP status. */
    status: integer().notNull(),
    outcome: text().notNull(),
    error: text(),
    request: text().notNull(),
    /** Size of the whole text, of which the end may be cut. */
    requestBytes: counted('request_bytes'),
    requestCut: boolean('request_cut').notNull(),
    response: text().notNull(),
    responseBytes: counted('response_bytes'),
    responseCut: boolean('response_cut').notNull(),
  },
  ({ id, requestId, project, tokenId, expiresAt }) => [
    index('logged_requests_request').on(requestId),
    index('logged_requests_project').on(project, id),
    index('logged_requests_token').on(tokenId, id),
    index('logged_requests_expires').on(expiresAt),
  ],
);
