import type { AuditEntry } from '@model-gateway/admin-api';
import { type Command, command, text } from './command.ts';
import { queryOf } from './option-values.ts';
import { jsonText, table } from './table.ts';

const filters = {
  from: text('TIME', 'the first time, an RFC 3339 one'),
  to: text('TIME', 'the time up to which they are listed, an RFC 3339 one'),
  actor: text('NAME', 'the user or service account that did it', { names: 'users' }),
  action: text('NAME', 'such as createToken'),
  subject: text('NAME', 'the name or id of what was changed'),
  project: text('NAME', 'the project', { names: 'projects' }),
};

const list = command({
  name: 'audit list',
  about: 'List the administrative acts, newest first',
  options: {
    ...filters,
    limit: text('NUMBER', 'as many at most'),
    cursor: text('CURSOR', 'the page that follows another one'),
  },
  async run({ admin, values, json }) {
    const query = queryOf(values);
    const page = await admin().people.audit(query);
    if (json) return jsonText(page);
    const more = page.next === null ? '' : `\n\nOlder acts: --cursor ${page.next}`;
    return auditTable(page.data) + more;
  },
});

const exported = command({
  name: 'audit export',
  about: 'Write all administrative acts, oldest first',
  options: { format: text('FORMAT', 'the format (csv)', { choices: ['csv', 'jsonl'] }), ...filters },
  json: false,
  run({ admin, values }) {
    const query = queryOf(values);
    return admin().stream(`/audit/export?${query}`);
  },
});

export const auditCommands: readonly Command[] = [list, exported];

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
