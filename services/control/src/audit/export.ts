import { type AuditEntry, csvLine } from '@model-gateway/admin-api';
import type { ExportFormat } from '../common/export-format.ts';

const columns = [
  'id',
  'at',
  'actorKind',
  'actor',
  'actorId',
  'address',
  'requestId',
  'action',
  'subjectKind',
  'subjectId',
  'subject',
  'project',
  'before',
  'after',
] as const satisfies (keyof AuditEntry)[];

/** Returns the first line of an export: the names of the columns in CSV. */
export function auditHead(format: ExportFormat): string {
  return format === 'csv' ? csvLine([...columns]) : '';
}

/** Writes an act as a line. */
export function auditLine(entry: AuditEntry, format: ExportFormat): string {
  return format === 'csv' ? csvLine(columns.map(name => entry[name])) : `${JSON.stringify(entry)}\n`;
}
