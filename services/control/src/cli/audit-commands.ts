import type { Command } from './command.ts';
import { exportCommand, pageCommand } from './record-commands.ts';

export const auditCommands: readonly Command[] = [
  pageCommand({
    name: 'audit list',
    about: 'List the administrative acts, newest first',
    endpoint: 'listAudit',
    more: () => 'Older acts',
    head: ['AT', 'WHO', 'FROM', 'ACT', 'WHAT', 'PROJECT'],
    row: ({ at, actorKind, actor, address, action, subjectKind, subject, project }) => [
      at,
      actorKind === 'user' ? actor : `${actor} (${actorKind})`,
      address ?? '-',
      action,
      `${subjectKind} ${subject}`,
      project ?? '-',
    ],
  }),
  exportCommand({
    name: 'audit export',
    about: 'Write all administrative acts, oldest first',
    endpoint: 'exportAudit',
  }),
];
