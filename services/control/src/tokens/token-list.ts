import { and, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { hasPart } from '../database/name-order.ts';
import { newestFirst, type Page, type PlaceInTime } from '../database/newest-first.ts';
import { projects, tokens, users } from '../database/tables.ts';
import type { Tag } from '../usage/filter.ts';
import { type Token, tokenColumns } from './tokens.ts';

/** The tokens of a query. An absent field names all. */
interface TokenFilter {
  /** A list names each of its entries. */
  project?: string | readonly string[] | undefined;
  owner?: string | undefined;
  /** A part of the name. */
  name?: string | undefined;
  disabled?: boolean | undefined;
  /** A token has each of them. */
  tags?: readonly Tag[] | undefined;
  expiresBefore?: Date | undefined;
}

const { micros, order, isAfter } = newestFirst(tokens);

/** Lists tokens that are not revoked, newest first. */
export async function listTokens(
  db: Database,
  { project, owner, name, disabled, tags = [], expiresBefore }: TokenFilter,
  { limit, after }: Page<PlaceInTime>,
): Promise<(Token & { micros: number })[]> {
  // Ids, so that an index has the tokens of a project or an owner in the order of the list.
  const inProjects = project === undefined ? undefined : await idsOf(db, projects, [project].flat());
  const ofOwner = owner === undefined ? undefined : await idsOf(db, users, [owner]);
  const where = and(
    isNull(tokens.revokedAt),
    inProjects && inArray(tokens.projectId, inProjects),
    ofOwner && inArray(tokens.ownerId, ofOwner),
    hasPart(tokens.name, name),
    disabled === undefined ? undefined : eq(tokens.disabled, disabled),
    expiresBefore && lt(tokens.expiresAt, expiresBefore),
    ...tags.map(
      tag => sql`${tokens.settings}->'tags' @> ${JSON.stringify(Object.fromEntries([tag]))}::jsonb`,
    ),
    isAfter(after),
  );
  return db
    .select({ ...tokenColumns, micros })
    .from(tokens)
    .innerJoin(projects, eq(projects.id, tokens.projectId))
    .leftJoin(users, eq(users.id, tokens.ownerId))
    .where(where)
    .orderBy(...order)
    .limit(limit);
}

async function idsOf(
  db: Database,
  table: typeof projects | typeof users,
  names: readonly string[],
): Promise<string[]> {
  const found = await db.select({ id: table.id }).from(table).where(inArray(table.name, names));
  return found.map(({ id }) => id);
}
