import { isJsonObject } from '@model-gateway/json';
import type { refusedCounts, refusedRequests } from '../database/tables.ts';
import { Fit } from '../usage/fit.ts';

/** A record of requests that were refused, as the database stores it. */
export type RefusedRow =
  | { kind: 'count'; row: typeof refusedCounts.$inferInsert }
  | { kind: 'request'; row: typeof refusedRequests.$inferInsert };

/** True for a record of requests that were refused. */
export function isRefused(record: unknown): record is Record<string, unknown> {
  return isJsonObject(record) && 'refused' in record;
}

/**
 * Converts a value that should be a `RefusedRecord` to a row. `now` is used if its time is missing or invalid.
 * @throws Error if its kind is unknown
 */
export function toRefusedRow(record: Record<string, unknown>, now: number): RefusedRow {
  const fit = new Fit();
  const refusal = {
    tokenId: fit.text('tokenId', record.tokenId ?? ''),
    project: fit.text('project', record.project ?? ''),
    owner: fit.optionalText('owner', record.owner),
    model: fit.text('model', record.model ?? ''),
    status: fit.count('status', record.status, 999),
    reason: fit.text('reason', record.reason),
  };
  if (record.refused === 'count') {
    const start = fit.time('start', record.start, now);
    const process = fit.text('process', record.process);
    return { kind: 'count', row: { start, process, ...refusal, count: fit.count('count', record.count) } };
  }
  if (record.refused !== 'request') throw new Error('the kind of the record is unknown');
  const row = {
    id: fit.uuid('recordId', String(record.recordId)),
    requestId: fit.text('requestId', record.requestId),
    at: fit.time('at', record.at, now),
    endpoint: fit.text('endpoint', record.endpoint),
    ...refusal,
    code: fit.optionalText('code', record.code),
    param: fit.optionalText('param', record.param),
  };
  return { kind: 'request', row };
}
