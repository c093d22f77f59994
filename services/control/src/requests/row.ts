import { isJsonObject } from '@model-gateway/json';
import type { loggedRequests } from '../database/tables.ts';
import { Fit } from '../usage/fit.ts';
import { cleanText } from '../usage/rejected.ts';

/** A row of the logged requests. */
export type LoggedRow = typeof loggedRequests.$inferInsert;

const dayMs = 86_400_000;
/** The most days for which a text is stored. */
const mostDays = 3_650;

/**
 * Converts a value that should be a `LoggedRequest` to a row. `now` is used if its time is missing.
 * @throws Error if it has no id, since duplicates could not be detected
 */
export function toLoggedRow(record: unknown, now: number): LoggedRow {
  if (!isJsonObject(record) || typeof record.id !== 'string' || record.id === '')
    throw new Error('the record has no id');
  const fit = new Fit();
  const at = fit.time('at', record.at, now);
  const days = fit.number('retentionDays', record.retentionDays, mostDays);
  const request = textOf(fit, record.request);
  const response = textOf(fit, record.response);
  return {
    id: fit.uuid('id', record.id),
    requestId: fit.text('requestId', record.requestId),
    at,
    expiresAt: new Date(at.getTime() + days * dayMs),
    ms: fit.ms('ms', record.ms),
    format: fit.text('format', record.format),
    model: fit.text('model', record.model),
    tokenId: fit.text('tokenId', record.tokenId),
    project: fit.text('project', record.project),
    owner: fit.optionalText('owner', record.owner),
    status: fit.count('status', record.status, 999),
    outcome: fit.text('outcome', record.outcome),
    error: fit.optionalText('error', record.error),
    ...{ request: request.text, requestBytes: request.bytes, requestCut: request.cut },
    ...{ response: response.text, responseBytes: response.bytes, responseCut: response.cut },
  };
}

function textOf(fit: Fit, value: unknown): { text: string; bytes: number; cut: boolean } {
  const { text, bytes, cut } = isJsonObject(value) ? value : {};
  return {
    text: typeof text === 'string' ? cleanText(text) : '',
    bytes: fit.count('bytes', bytes),
    cut: cut === true,
  };
}
