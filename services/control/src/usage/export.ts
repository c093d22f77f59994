import type { UsageEntry } from '@model-gateway/admin-api';
import { units } from './units.ts';

/** The formats of an export of the ledger. */
export type ExportFormat = 'csv' | 'jsonl';

export const exportMediaTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

/** Returns the first line of an export: the names of the columns in CSV. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? `${[...facts, ...counts].join(',')}\r\n` : '';
}

/** Writes an entry of the ledger as a line. */
export function exportLine(entry: UsageEntry, format: ExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  const values = [...facts.map(name => entry[name]), ...counts.map(name => entry.usage?.[name])];
  return `${values.map(csvValue).join(',')}\r\n`;
}

/** The columns of an entry, and those of its usage, which are empty if it is unknown. */
const facts = [
  'id',
  'requestId',
  'at',
  'ms',
  'firstMs',
  'operation',
  'format',
  'stream',
  'model',
  'fallback',
  'provider',
  'upstreamModel',
  'token',
  'project',
  'owner',
  'tags',
  'outcome',
  'error',
  'finishReason',
  'charged',
  'cost',
  'priceVersion',
] as const satisfies (keyof UsageEntry)[];
const counts = [...units, 'estimated'] as const satisfies (keyof NonNullable<UsageEntry['usage']>)[];

/** Writes a value for CSV (RFC 4180). A text that a spreadsheet would take for a formula is preceded by an apostrophe. */
function csvValue(value: unknown): string {
  if (typeof value === 'object' && value !== null) return csvValue(JSON.stringify(value));
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
