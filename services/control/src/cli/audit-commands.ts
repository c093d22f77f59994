import type { AuditEntry } from '@model-gateway/admin-api';
import { type Command, queryOf, table } from './command.ts';

const filters = ['from', 'to', 'actor', 'action', 'subject', 'project', 'limit', 'before'] as const;

export const auditCommands: Partial<Record<string, Command>> = {
  list: {
    takes: filters,
    async run(admin, values) {
      const page = await admin().people.audit(queryOf(values, filters));
      if (values.json) return JSON.stringify(page, null, 2);
      const more = page.next === null ? '' : `\n\nOlder acts: --before ${page.next}`;
      return auditTable(page.data) + more;
    },
  },
};

function auditTable(acts: AuditEntry[]): string {
  const rows = acts.map(({ at, actorKind, actor, address, action, subjectKind, subject, project }) => [
    at,
    actorKind === 'user' ? actor : `${actor} (${actorKind})`,
    address ?? '-',
    action,
    `${subjectKind} ${subject}`,
    project ?? '-',
  ]);
  return table([['AT', 'WHO', 'FROM', 'ACT', 'WHAT', 'PROJECT'], ...rows]);
}
