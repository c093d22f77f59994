import { rejectedQuery, totalsQuery, type UsageEntry, usageQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod/mini';
import type { Database } from '../database/database.ts';
import { listUsage, totalUsage } from '../usage/read.ts';
import { listRejected } from '../usage/rejected.ts';
import type { Handlers } from './routes.ts';

/** The handlers for usage: the ledger per attempt, rejected records, and totals. */
export function usageHandlers(db: Database): Pick<Handlers, 'listUsage' | 'listRejected' | 'totalUsage'> {
  return {
    async listUsage(request, response) {
      const { limit, before, from, to, ...wanted } = read(usageQuery, request.query);
      const filter = { ...wanted, from: dateOf(from), to: dateOf(to) };
      const rows = await listUsage(db, filter, { limit, before });
      const next = rows.length === limit ? rows.at(-1)?.id : null;
      response.json({ data: rows.map(show), next: next ?? null });
    },

    async listRejected(request, response) {
      const { limit, before } = read(rejectedQuery, request.query);
      const rows = await listRejected(db, { limit, before });
      const next = rows.length === limit ? rows.at(-1)?.id : null;
      const data = rows.map(row => ({ ...row, at: row.at.toISOString() }));
      response.json({ data, next: next ?? null });
    },

    async totalUsage(request, response) {
      const { by, from, to, ...wanted } = read(totalsQuery, request.query);
      const filter = { ...wanted, from: dateOf(from), to: dateOf(to) };
      response.json({ by, data: await totalUsage(db, filter, by) });
    },
  };
}

/** Renders an entry of the ledger; `usage` is null if it is unknown. */
function show(row: Awaited<ReturnType<typeof listUsage>>[number]): UsageEntry {
  const { id, requestId, ms, firstMs, operation, format, stream, model, provider, upstreamModel } = row;
  const { tokenId, project, outcome, error, charged, estimated, at } = row;
  const { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput } = row;
  const { output, reasoning, audioOutput, images, seconds, characters, searches } = row;
  const units = { images, seconds, characters, searches };
  const counts = { input, cachedInput, cacheWrite5m, cacheWrite1h, audioInput, imageInput };
  return {
    ...{ id, requestId, at: at.toISOString(), ms, firstMs, operation, format, stream },
    ...{ model, provider, upstreamModel, token: tokenId, project, outcome, error, charged },
    usage: row.known ? { ...counts, output, reasoning, audioOutput, ...units, estimated } : null,
  };
}

const dateOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time));

const english = { error: z.locales.en().localeError };

/** Parses a query. @throws GatewayError naming the first invalid parameter */
function read<Schema extends z.ZodMiniType>(schema: Schema, query: unknown): z.infer<Schema> {
  const result = schema.safeParse(query, english);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new GatewayError('invalid-request', `${param}: ${issue?.message}.`, {
    ...(param && { param }),
    code: issue?.code === 'unrecognized_keys' ? 'unknown_parameter' : 'invalid_value',
  });
}
