import {
  type RefusedEntry,
  type RefusedTotals,
  refusedQuery,
  refusedTotalsQuery,
} from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import type { Database } from '../database/database.ts';
import { projectsWithin } from '../people/caller.ts';
import { countRefused, listRefused } from '../refused/read.ts';
import { scopeIn } from './admitted.ts';
import { Pages } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { dateOf } from './usage.ts';

const pages = new Pages('listRefused', z.uuid());

/** The handlers for requests that the gateway refused. */
export function refusedHandlers(db: Database): Pick<Handlers, 'listRefused' | 'totalRefused'> {
  return {
    async listRefused(request, response) {
      const { limit, cursor, from, to, ...wanted } = parseQuery(refusedQuery, request.query);
      const project = projectsWithin(scopeIn(response), wanted.project);
      const filter = { ...wanted, project, from: dateOf(from), to: dateOf(to) };
      const { rows, next } = await pages.read(
        pages.asked({ limit, cursor }),
        page => listRefused(db, filter, page),
        ({ id }) => id,
      );
      response.json({ data: rows.map(show), next });
    },

    async totalRefused(request, response) {
      const { from, to, ...wanted } = parseQuery(refusedTotalsQuery, request.query);
      const project = projectsWithin(scopeIn(response), wanted.project);
      const sums = await countRefused(db, { ...wanted, project, from: dateOf(from), to: dateOf(to) });
      const data = sums.map(({ refused, last, ...sum }) => ({
        ...refusalOf(sum),
        ...{ refused, last: last?.toISOString() ?? '' },
      }));
      response.json({ data } satisfies RefusedTotals);
    },
  };
}

type Row = Awaited<ReturnType<typeof listRefused>>[number];

function show(row: Row): RefusedEntry {
  const { id, requestId, at, endpoint, model, code, param } = row;
  return { id, requestId, at: at.toISOString(), endpoint, model, ...refusalOf(row), code, param };
}

/** Empty ids mean that no token is known. */
function refusalOf({
  tokenId,
  project,
  owner,
  status,
  reason,
}: Pick<Row, 'tokenId' | 'status' | 'reason' | 'owner'> & { project: string | null }) {
  return { token: tokenId || null, project: project || null, owner, status, reason };
}
