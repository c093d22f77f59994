import { GatewayError } from '@model-gateway/canonical';
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { groups, listUsage, totalUsage } from '../usage/read.ts';
import { listRejected } from '../usage/rejected.ts';

const time = z.iso.datetime({ offset: true }).transform(text => new Date(text));

const filter = {
  from: time.optional(),
  to: time.optional(),
  token: z.string().optional(),
  project: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
};
/** The most records in a page. */
export const largestPage = 1_000;

const listQuery = z.strictObject({
  ...filter,
  limit: z.coerce.number().int().min(1).max(largestPage).default(100),
  before: z.uuid().optional(),
});
const totalsQuery = z.strictObject({ ...filter, by: z.enum(groups).default('model') });

const rejectedQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(largestPage).default(100),
  before: z.coerce.number().int().positive().optional(),
});

interface UsageRoutes {
  list: RequestHandler;
  rejected: RequestHandler;
  totals: RequestHandler;
}

/** The routes for usage: the ledger per attempt, rejected records, and totals. */
export function usageRoutes(db: Database): UsageRoutes {
  return {
    async list(request, response) {
      const { limit, before, ...wanted } = read(listQuery, request);
      const rows = await listUsage(db, wanted, { limit, before });
      const next = rows.length === limit ? rows.at(-1)?.id : null;
      response.json({ data: rows.map(show), next: next ?? null });
    },

    async rejected(request, response) {
      const { limit, before } = read(rejectedQuery, request);
      const rows = await listRejected(db, { limit, before });
      const next = rows.length === limit ? rows.at(-1)?.id : null;
      response.json({ data: rows, next: next ?? null });
    },

    async totals(request, response) {
      const { by, ...wanted } = read(totalsQuery, request);
      response.json({ by, data: await totalUsage(db, wanted, by) });
    },
  };
}

/** Renders an entry of the ledger; `usage` is null if it is unknown. */
function show(row: Awaited<ReturnType<typeof listUsage>>[number]) {
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

function read<Schema extends z.ZodType>(schema: Schema, { query }: Request): z.infer<Schema> {
  const result = schema.safeParse(query);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new GatewayError('invalid-request', `${param}: ${issue?.message}.`, {
    ...(param && { param }),
    code: issue?.code === 'unrecognized_keys' ? 'unknown_parameter' : 'invalid_value',
  });
}
