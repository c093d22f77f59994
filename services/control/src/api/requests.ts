import { type LoggedRequestInfo, requestsQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod/mini';
import { recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { includesProject, projectsWithin } from '../people/caller.ts';
import { deleteLogged, findLogged, listLogged } from '../requests/read.ts';
import { attemptsOf } from '../usage/read.ts';
import { actorOf, scopeIn } from './admitted.ts';
import { assertConditions, sendResource, tagOf } from './conditions.ts';
import { Pages } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { dateOf, showAttempt } from './usage.ts';

const pages = new Pages('listRequests', z.uuid());

/** The handlers for logged requests. */
export function requestHandlers(
  db: Database,
): Pick<Handlers, 'listRequests' | 'showRequest' | 'deleteRequest'> {
  return {
    async listRequests(request, response) {
      const { limit, cursor, from, to, ...wanted } = parseQuery(requestsQuery, request.query);
      const project = projectsWithin(scopeIn(response), wanted.project);
      const filter = { ...wanted, project, from: dateOf(from), to: dateOf(to) };
      const { rows, next } = await pages.read(
        pages.asked({ limit, cursor }),
        page => listLogged(db, filter, page),
        ({ id }) => id,
      );
      response.json({ data: rows.map(row => ({ ...show(row), ...sizes(row) })), next });
    },

    async showRequest(request, response) {
      const found = await findLogged(db, request.params.id as string);
      if (!found || !includesProject(scopeIn(response), found.project)) throw notFound();
      // The texts are other people's, so reading them is recorded, too.
      await recordEvent(db, actorOf(response), {
        ...{ action: 'showRequest', subject: subjectOf(found), project: found.project },
        ...{ before: null, after: null },
      });
      const logged = whole(found, await attemptsOf(db, found));
      sendResource(request, response, logged, tagOf(logged, observed));
    },

    async deleteRequest(request, response) {
      const id = request.params.id as string;
      await db.transaction(async tx => {
        const found = await findLogged(tx, id);
        if (!found || !includesProject(scopeIn(response), found.project)) throw notFound();
        assertConditions(request, tagOf(whole(found, []), observed));
        await deleteLogged(tx, id);
        await recordEvent(tx, actorOf(response), {
          action: 'deleteRequest',
          subject: subjectOf(found),
          project: found.project,
          before: { ...show(found), ...sizes(found) },
          after: null,
        });
      });
      response.status(204).end();
    },
  };
}

/** Attempts are reported after the request, and its retention may be shortened. */
const observed = ['attempts', 'expiresAt'];

type Row = Awaited<ReturnType<typeof listLogged>>[number];

function subjectOf({ requestId: id }: Row) {
  return { kind: 'request', id, name: id } as const;
}

function show(row: Row) {
  const { requestId, at, ms, format, model, tokenId, project, owner, status, outcome, error } = row;
  return {
    ...{ requestId, at: at.toISOString(), ms, format, model, token: tokenId, project, owner, status },
    ...{ outcome, error, expiresAt: row.expiresAt.toISOString() },
  };
}

function whole(
  found: NonNullable<Awaited<ReturnType<typeof findLogged>>>,
  attempts: Awaited<ReturnType<typeof attemptsOf>>,
): LoggedRequestInfo {
  const { request, response } = sizes(found);
  return {
    ...show(found),
    request: { ...request, text: found.request },
    response: { ...response, text: found.response },
    attempts: attempts.map(showAttempt),
  };
}

function sizes({ requestBytes, requestCut, responseBytes, responseCut }: Row) {
  return {
    request: { bytes: requestBytes, cut: requestCut },
    response: { bytes: responseBytes, cut: responseCut },
  };
}

function notFound(): GatewayError {
  const message = 'There is no logged request with this id: it was not logged, or is no longer stored.';
  return new GatewayError('not-found', message, { code: 'request_not_found' });
}
