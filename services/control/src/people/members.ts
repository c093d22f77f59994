import type { ProjectRole } from '@model-gateway/admin-api';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { byName } from '../database/name-order.ts';
import type { Page } from '../database/newest-first.ts';
import { memberships } from '../database/people-tables.ts';
import { projects, users } from '../database/tables.ts';

/** Lists the users who have a role in a project, by name; `role` is undefined for every role. */
export async function listMembers(
  db: Database,
  project: string,
  role: ProjectRole | undefined,
  { limit, after }: Page<string>,
): Promise<{ user: string; role: ProjectRole }[]> {
  const { order, isAfter } = byName(users.name);
  const which = and(eq(projects.name, project), role && eq(memberships.role, role), isAfter(after));
  return select(db).where(which).orderBy(order).limit(limit);
}

/** Returns the role of a user in a project; undefined for none. */
export async function roleIn(db: Database, project: string, user: string): Promise<ProjectRole | undefined> {
  const [found] = await select(db).where(and(eq(projects.name, project), eq(users.name, user)));
  return found?.role;
}

/** Returns the role of a user in a project, which no other transaction changes until this one ends. */
export async function lockRole(
  tx: Database,
  { project, user, userId }: { project: string; user: string; userId: string },
): Promise<ProjectRole | undefined> {
  // The user's row, since a role that is new has none.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
  return roleIn(tx, project, user);
}

/** Returns the projects of users with their roles, by the id of the user. */
export async function rolesOf(
  db: Database,
  userIds: readonly string[],
): Promise<Map<string, { project: string; role: ProjectRole }[]>> {
  if (userIds.length === 0) return new Map();
  const found = await db
    .select({ userId: memberships.userId, project: projects.name, role: memberships.role })
    .from(memberships)
    .innerJoin(projects, eq(projects.id, memberships.projectId))
    .where(and(inArray(memberships.userId, userIds), isNull(projects.deletedAt)))
    .orderBy(projects.name);
  const byUser = Map.groupBy(found, ({ userId }) => userId);
  return new Map([...byUser].map(([id, rows]) => [id, rows.map(({ project, role }) => ({ project, role }))]));
}

/** Gives a user a role in a project, or another one. */
export async function setMember(
  tx: Database,
  { userId, projectId, role }: { userId: string; projectId: string; role: ProjectRole },
): Promise<void> {
  await tx
    .insert(memberships)
    .values({ userId, projectId, role })
    .onConflictDoUpdate({ target: [memberships.userId, memberships.projectId], set: { role } });
}

export async function removeMember(tx: Database, userId: string, projectId: string): Promise<void> {
  await tx
    .delete(memberships)
    .where(and(eq(memberships.userId, userId), eq(memberships.projectId, projectId)));
}

function select(db: Database) {
  return db
    .select({ user: users.name, role: memberships.role })
    .from(memberships)
    .innerJoin(projects, eq(projects.id, memberships.projectId))
    .innerJoin(users, eq(users.id, memberships.userId));
}
