import { csvLine, type UsageEntry } from '@model-gateway/admin-api';
import type { ExportFormat } from '../common/export-format.ts';
import { units } from './units.ts';

/** Returns the first line of an export: the names of the columns in CSV. */
export function exportHead(format: ExportFormat): string {
  return format === 'csv' ? csvLine([...facts, ...counts, ...extras]) : '';
}

/** Writes an entry of the ledger as a line. */
export function exportLine(entry: UsageEntry, format: ExportFormat): string {
  if (format === 'jsonl') return `${JSON.stringify(entry)}\n`;
  const { usage, hostedTools } = entry;
  const values = [...facts.map(name => entry[name]), ...counts.map(name => usage?.[name])];
  const joined = { ...entry, hostedTools: hostedTools.join(' ') || null };
  return csvLine([...values, ...extras.map(name => joined[name])]);
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
  'endedBy',
  'finishReason',
  'charged',
  'cost',
  'priceVersion',
] as const satisfies (keyof UsageEntry)[];
const counts = [...units, 'estimated', 'webSearches'] as const satisfies (keyof NonNullable<
  UsageEntry['usage']
>)[];
const extras = [
  'hostedTools',
  'serviceTier',
  'upstreamStatus',
  'upstreamMessage',
  'final',
] as const satisfies (keyof UsageEntry)[];
