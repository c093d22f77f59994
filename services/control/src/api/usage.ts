import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  exportQuery,
  rejectedQuery,
  totalsQuery,
  type UsageEntry,
  type UsageGroup,
  usageQuery,
} from '@model-gateway/admin-api';
import type { z } from 'zod/mini';
import type { Database } from '../database/database.ts';
import { exportHead, exportLine, exportMediaTypes } from '../usage/export.ts';
import type { Tag, UsageFilter } from '../usage/filter.ts';
import { eachUsage, listUsage } from '../usage/read.ts';
import { listRejected } from '../usage/rejected.ts';
import { totalUsage } from '../usage/totals.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

/** The handlers for usage: the ledger per attempt, rejected records, and totals. */
export function usageHandlers(
  db: Database,
): Pick<Handlers, 'listUsage' | 'exportUsage' | 'listRejected' | 'totalUsage'> {
  return {
    async listUsage(request, response) {
      const { limit, before, ...wanted } = parseQuery(usageQuery, request.query);
      const { rows, next } = await listUsage(db, filterOf(wanted), { limit, before });
      response.json({ data: rows.map(showAttempt), next });
    },

    async exportUsage(request, response) {
      const { format, ...wanted } = parseQuery(exportQuery, request.query);
      const pages = eachUsage(db, filterOf(wanted));
      // A query that fails is an error of its own only before anything is sent.
      const first = await pages.next();
      response
        .status(200)
        .set('content-type', exportMediaTypes[format])
        .set('content-disposition', `attachment; filename="usage.${format}"`)
        // It may take long until the first record that the filter names.
        .flushHeaders();
      const text = async function* () {
        yield exportHead(format);
        for (let page = first; !page.done; page = await pages.next())
          yield page.value.map(row => exportLine(showAttempt(row), format)).join('');
      };
      await pipeline(Readable.from(text()), response as Writable).catch(() => response.destroy());
    },

    async listRejected(request, response) {
      const { limit, before } = parseQuery(rejectedQuery, request.query);
      const rows = await listRejected(db, { limit, before });
      const next = rows.length === limit ? rows.at(-1)?.id : null;
      const data = rows.map(row => ({ ...row, at: row.at.toISOString() }));
      response.json({ data, next: next ?? null });
    },

    async totalUsage(request, response) {
      const { by, ...wanted } = parseQuery(totalsQuery, request.query);
      response.json({ by, data: await totalUsage(db, filterOf(wanted), by as UsageGroup) });
    },
  };
}

/** Renders an entry of the ledger; `usage` is null if it is unknown. */
export function showAttempt(row: Awaited<ReturnType<typeof listUsage>>['rows'][number]): UsageEntry {
  const { id, requestId, ms, firstMs, operation, format, stream, model, fallback } = row;
  const { provider, upstreamModel, tokenId, project, owner, outcome, error, charged, estimated, at } = row;
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput } = row;
  const { output, reasoning, audioOutput, images, seconds, characters, searches } = row;
  const { finishReason, cost, priceVersion } = row;
  const units = { images, seconds, characters, searches };
  const counts = { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput };
  return {
    ...{ id, requestId, at: at.toISOString(), ms, firstMs, operation, format, stream },
    ...{ model, fallback, provider, upstreamModel, token: tokenId, project, owner, tags: row.tags ?? {} },
    ...{ outcome, error, finishReason, charged, cost, priceVersion },
    usage: row.known ? { ...counts, output, reasoning, audioOutput, ...units, estimated } : null,
  };
}

/** Returns the filter of a query. */
function filterOf({ from, to, tag = [], ...wanted }: Omit<z.infer<typeof totalsQuery>, 'by'>): UsageFilter {
  return { ...wanted, from: dateOf(from), to: dateOf(to), tags: [tag].flat().map(tagOf) };
}

function tagOf(tag: string): Tag {
  const colon = tag.indexOf(':');
  return [tag.slice(0, colon), tag.slice(colon + 1)];
}

export const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time));
