import type { AuditEntry } from '@model-gateway/admin-api';
import { and, desc, eq, gt, gte, inArray, lt, or } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/newest-first.ts';
import { audit } from '../database/people-tables.ts';

/** The acts of a query. An absent field names all, and a list each of its entries. */
interface AuditFilter {
  from?: string | undefined;
  /** Exclusive. */
  to?: string | undefined;
  actor?: string | undefined;
  actorKind?: AuditEntry['actorKind'] | undefined;
  action?: string | undefined;
  subjectKind?: AuditEntry['subjectKind'] | undefined;
  /** An id or a name. */
  subject?: string | undefined;
  project?: string | readonly string[] | undefined;
}

/** Lists acts, newest first. The place of an act is its id. */
export async function listEvents(
  db: Database,
  filter: AuditFilter,
  { limit, after }: Page<number>,
): Promise<AuditEntry[]> {
  const where = and(fulfils(filter), after === undefined ? undefined : lt(audit.id, after));
  const rows = await db.select().from(audit).where(where).orderBy(desc(audit.id)).limit(limit);
  return rows.map(show);
}

/** The most acts that are read at once for an export. */
const exportedAtOnce = 1_000;

/** Yields acts in pages, oldest first. */
export async function* eachEvent(db: Database, filter: AuditFilter): AsyncGenerator<AuditEntry[], undefined> {
  let after: number | undefined = 0;
  do {
    const where = and(fulfils(filter), gt(audit.id, after));
    const rows: (typeof audit.$inferSelect)[] = await db
      .select()
      .from(audit)
      .where(where)
      .orderBy(audit.id)
      .limit(exportedAtOnce);
    yield rows.map(show);
    after = rows.length === exportedAtOnce ? rows.at(-1)?.id : undefined;
  } while (after !== undefined);
}

function fulfils({ from, to, actor, actorKind, action, subjectKind, subject, project }: AuditFilter) {
  return and(
    from ? gte(audit.at, new Date(from)) : undefined,
    to ? lt(audit.at, new Date(to)) : undefined,
    actor === undefined ? undefined : eq(audit.actor, actor),
    actorKind && eq(audit.actorKind, actorKind),
    action === undefined ? undefined : eq(audit.action, action),
    subjectKind && eq(audit.subjectKind, subjectKind),
    subject === undefined ? undefined : or(eq(audit.subject, subject), eq(audit.subjectId, subject)),
    project === undefined ? undefined : inArray(audit.project, [project].flat()),
  );
}

function show({ at, ...row }: typeof audit.$inferSelect): AuditEntry {
  return { ...row, at: at.toISOString() };
}
