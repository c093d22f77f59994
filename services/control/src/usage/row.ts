import { noUsage } from '@model-gateway/canonical';
import { isJsonObject } from '@model-gateway/json';
import type { usage } from '../database/tables.ts';
import { Fit } from './fit.ts';

/** A row of the ledger. */
export type LedgerRow = typeof usage.$inferInsert;

interface FittedRow {
  row: LedgerRow;
  /** The names of the fields that were changed to fit into the ledger. */
  changed: string[];
}

/** The most seconds of audio in an attempt: a thousand years. */
const maxSeconds = 31_557_600_000;

/**
 * Converts a value that should be a `UsageRecord` to a row. `now` is used if its time is missing or invalid.
 * @throws Error if it has no id, since duplicates could not be detected
 */
export function toRow(record: unknown, now: number): FittedRow {
  if (!isJsonObject(record)) throw new Error('the record is not an object');
  const { id } = record;
  if (typeof id !== 'string' || id === '') throw new Error('the record has no id');
  const fit = new Fit();
  const row: LedgerRow = {
    id: fit.uuid('id', id),
    requestId: fit.text('requestId', record.requestId),
    at: fit.time('at', record.at, now),
    ms: fit.ms('ms', record.ms),
    firstMs: (record.firstMs ?? null) === null ? null : fit.ms('firstMs', record.firstMs),
    operation: fit.text('operation', record.operation),
    format: fit.text('format', record.format),
    stream: fit.flag('stream', record.stream),
    model: fit.text('model', record.model),
    fallback: fit.optionalText('fallback', record.fallback),
    provider: fit.text('provider', record.provider),
    upstreamModel: fit.text('upstreamModel', record.upstreamModel),
    tokenId: fit.text('tokenId', record.tokenId),
    project: fit.text('project', record.project),
    owner: fit.optionalText('owner', record.owner),
    tags: fit.texts('tags', record.tags),
    outcome: fit.text('outcome', record.outcome),
    error: fit.optionalText('error', record.error),
    upstreamStatus: optionalStatus(fit, record.upstreamStatus),
    upstreamMessage: fit.optionalText('upstreamMessage', record.upstreamMessage),
    final: fit.flag('final', record.final ?? true),
    endedBy: fit.optionalText('endedBy', record.endedBy),
    finishReason: fit.optionalText('finishReason', record.finishReason),
    hostedTools: fit.optionalText('hostedTools', namesIn(record.hostedTools)),
    serviceTier: fit.optionalText('serviceTier', record.serviceTier),
    charged: fit.flag('charged', record.charged),
    estimated: fit.flag('estimated', record.estimated ?? false),
    byCaller: fit.flag('byCaller', record.byCaller ?? false),
    ...fitUsage(fit, record.usage),
  };
  return { row, changed: fit.changed };
}

function optionalStatus(fit: Fit, status: unknown): number | null {
  return status === undefined || status === null ? null : fit.count('upstreamStatus', status, 999);
}

/** Joins a list of names; returns any other value as it is. */
function namesIn(value: unknown): unknown {
  return Array.isArray(value) ? value.join(',') : value;
}

/** Converts the counts of a record. All are 0 if the usage is unknown. */
function fitUsage(fit: Fit, usage: unknown) {
  const used: Record<string, unknown> = isJsonObject(usage) ? usage : { ...noUsage };
  const units = isJsonObject(used.units) ? used.units : {};
  return {
    known: isJsonObject(usage),
    input: fit.count('input', used.input),
    cachedInput: fit.count('cachedInput', used.cachedInput),
    cacheWrite5m: fit.count('cacheWrite5m', used.cacheWrite5m),
    cacheWrite1h: fit.count('cacheWrite1h', used.cacheWrite1h),
    audioInput: fit.count('audioInput', used.audioInput),
    imageInput: fit.count('imageInput', used.imageInput),
    output: fit.count('output', used.output),
    reasoning: fit.count('reasoning', used.reasoning),
    audioOutput: fit.count('audioOutput', used.audioOutput),
    images: fit.count('images', units.images ?? 0),
    seconds: fit.number('seconds', units.seconds ?? 0, maxSeconds),
    characters: fit.count('characters', units.characters ?? 0),
    searches: fit.count('searches', units.searches ?? 0),
    webSearches: fit.count('webSearches', units.webSearches ?? 0),
    raw: fit.json('raw', used.raw),
  };
}
