import {
  exportQuery,
  rejectedQuery,
  type SeriesGroup,
  seriesQuery,
  totalsQuery,
  type UsageEntry,
  type UsageGroup,
  usageQuery,
} from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { sendExport } from '../common/export-format.ts';
import type { Database } from '../database/database.ts';
import { projectsWithin, type Scope } from '../people/caller.ts';
import { exportHead, exportLine } from '../usage/export.ts';
import type { Tag } from '../usage/filter.ts';
import { eachUsage, listUsage } from '../usage/read.ts';
import { listRejected } from '../usage/rejected.ts';
import { usageOverTime } from '../usage/series.ts';
import { totalUsage } from '../usage/totals.ts';
import { scopeIn } from './admitted.ts';
import { Pages, placeByNumber, placeByTime } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

const attempts = new Pages('listUsage', z.union([z.uuid(), placeByTime]));
const rejected = new Pages('listRejected', placeByNumber);

/** The handlers for usage: the ledger per attempt, rejected records, and totals. */
export function usageHandlers(
  db: Database,
): Pick<Handlers, 'listUsage' | 'exportUsage' | 'listRejected' | 'totalUsage' | 'seriesUsage'> {
  return {
    async listUsage(request, response) {
      const { limit, cursor, ...wanted } = parseQuery(usageQuery, request.query);
      const page = attempts.asked({ limit, cursor });
      const { rows, next, searchedTo } = await listUsage(db, filterOf(wanted, scopeIn(response)), page);
      response.json({
        data: rows.map(showAttempt),
        next: next === null ? null : attempts.cursorAt(next),
        ...(searchedTo && { searchedTo: searchedTo.toISOString() }),
      });
    },

    async exportUsage(request, response) {
      const { format, ...wanted } = parseQuery(exportQuery, request.query);
      const pages = eachUsage(db, filterOf(wanted, scopeIn(response)));
      const line = (row: Row) => exportLine(showAttempt(row), format);
      await sendExport(response, { name: 'usage', format, head: exportHead(format), pages, line });
    },

    async listRejected(request, response) {
      const { rows, next } = await rejected.read(
        rejected.asked(parseQuery(rejectedQuery, request.query)),
        page => listRejected(db, page),
        ({ id }) => id,
      );
      response.json({ data: rows.map(row => ({ ...row, at: row.at.toISOString() })), next });
    },

    async totalUsage(request, response) {
      const { by, ...wanted } = parseQuery(totalsQuery, request.query);
      response.json({
        by,
        data: await totalUsage(db, filterOf(wanted, scopeIn(response)), by as UsageGroup),
      });
    },

    async seriesUsage(request, response) {
      const { by = null, step, top, ...wanted } = parseQuery(seriesQuery, request.query);
      const filter = filterOf(wanted, scopeIn(response));
      response.json({
        by,
        step,
        data: await usageOverTime(db, filter, { by: by as SeriesGroup | null, step, top }),
      });
    },
  };
}

type Row = Awaited<ReturnType<typeof listUsage>>['rows'][number];

/** Renders an entry of the ledger; `usage` is null if it is unknown. */
export function showAttempt(row: Row): UsageEntry {
  const { id, requestId, ms, firstMs, operation, format, stream, model, fallback } = row;
  const { provider, upstreamModel, tokenId, project, owner, outcome, error, charged, estimated, at } = row;
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput } = row;
  const { output, reasoning, audioOutput, images, seconds, characters, searches, webSearches } = row;
  const { endedBy, finishReason, hostedTools, serviceTier, cost, priceVersion } = row;
  const { upstreamStatus, upstreamMessage, final } = row;
  const units = { images, seconds, characters, searches, webSearches };
  const counts = { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput };
  return {
    ...{ id, requestId, at: at.toISOString(), ms, firstMs, operation, format, stream },
    ...{ model, fallback, provider, upstreamModel, token: tokenId, project, owner, tags: row.tags ?? {} },
    ...{
      outcome,
      error,
      upstreamStatus,
      upstreamMessage,
      final,
      endedBy,
      finishReason,
      hostedTools: hostedTools?.split(',') ?? [],
      serviceTier,
    },
    ...{ charged, cost, priceVersion },
    usage: row.known ? { ...counts, output, reasoning, audioOutput, ...units, estimated } : null,
  };
}

/** Returns the filter of a query, within the scope of the caller. @throws GatewayError if the query asks for more */
function filterOf<Requested extends Omit<z.infer<typeof totalsQuery>, 'by'>>(
  { from, to, tag = [], project, ...wanted }: Requested,
  scope: Scope,
) {
  const tags = [tag].flat().map(nameAndValue);
  return { ...wanted, project: projectsWithin(scope, project), from: dateOf(from), to: dateOf(to), tags };
}

/** Splits a tag such as `team:search`. */
export function nameAndValue(tag: string): Tag {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
}

export const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time));
