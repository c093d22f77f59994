import { followQuery, runningQuery } from '@model-gateway/admin-api';
import {
  GatewayError,
  isNamedBy,
  type RunningFilter,
  type RunningPlace,
  type RunningRequest,
} from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { Request, Response } from 'express';
import { z } from 'zod/mini';
import { recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { type Caller, notAllowed, type Scope, scopeOf } from '../people/caller.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { noAnswer, type RunningFleet } from '../running/fleet.ts';
import { showChange, showRunning } from '../running/show.ts';
import { actorOf, callerOf, scopeIn } from './admitted.ts';
import { EventStream } from './event-stream.ts';
import { Pages } from './paging.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { mayChangeToken } from './token-scope.ts';

/** Interval of the checks that a follower still may follow, in milliseconds. */
const checkMs = 5_000;

const place = z.object({ at: z.int(), requestId: z.string() });
const pages = new Pages<RunningPlace>('listRunning', place);

interface RunningParts {
  db: Database;
  fleet: RunningFleet;
  prices: PriceBook;
  clock: Clock;
  /** Finds the caller of a request again; undefined if the session has ended. @throws GatewayError if the credential is invalid */
  callerAgain(request: Request): Promise<Caller | undefined>;
}

/** The handlers for requests in flight. */
export function runningHandlers(
  parts: RunningParts,
): Pick<Handlers, 'listRunning' | 'followRunning' | 'endRunning'> {
  const { db, fleet } = parts;
  return {
    async listRunning(request, response) {
      const { limit, cursor, ...wanted } = parseQuery(runningQuery, request.query);
      const filter = filterOf(wanted, callerOf(response), scopeIn(response));
      const page = pages.asked({ limit, cursor });
      const { requests, total, unanswered } = await fleet.list(filter, { limit, after: page.after });
      const last = requests.length === limit ? requests.at(-1) : undefined;
      const next = last ? pages.cursorAt({ at: last.at, requestId: last.requestId }) : null;
      response.json({ data: requests.map(showRunning), next, total, unanswered });
    },

    async followRunning(request, response) {
      const { seconds, ...wanted } = parseQuery(followQuery, request.query);
      const filter = filterOf(wanted, callerOf(response), scopeIn(response));
      // HEAD has no body.
      if (request.method === 'HEAD') response.type('text/event-stream').end();
      else await follow(parts, request, response, { wanted, filter, seconds });
    },

    async endRunning(request, response) {
      const id = request.params.id as string;
      const found = await fleet.find(id);
      if (!found || !mayEnd(found, callerOf(response), scopeIn(response))) throw notRunning();
      const unanswered = await db.transaction(async tx => {
        await recordEvent(tx, actorOf(response), {
          action: 'endRunning',
          subject: { kind: 'request', id, name: id },
          project: found.project,
          before: showRunning(found),
          after: null,
        });
        const outcome = await fleet.end(id, callerOf(response).name);
        if (!outcome.ended && outcome.unanswered.length === 0) throw notRunning();
        return outcome.unanswered;
      });
      // The act stays in the audit log, since these processes may still end the request.
      if (unanswered.length > 0) throw noAnswer(unanswered);
      response.status(204).end();
    },
  };
}

/** True if a caller may end a request. @throws GatewayError of kind `forbidden` for that of someone else in a project of the caller */
function mayEnd({ project, owner }: RunningRequest, caller: Caller, scope: Scope): boolean {
  return mayChangeToken(scope, caller, { project, owner: owner ?? null });
}

interface Following {
  wanted: RunningFilter;
  filter: RunningFilter;
  /** Time after which it ends; undefined for none. */
  seconds: number | undefined;
}

/** Sends changes until the client leaves, the caller may not follow any more, or the time is up. */
async function follow(
  { fleet, prices, clock, callerAgain }: RunningParts,
  request: Request,
  response: Response,
  { wanted, filter, seconds }: Following,
): Promise<void> {
  let current = filter;
  let stream: EventStream | undefined;
  prices.keepCurrent();
  const { kind, id, name } = callerOf(response);
  const stop = await fleet.follow({
    caller: JSON.stringify([kind, id, name]),
    changed: change => {
      if (isNamedBy(change.request, current)) stream?.send(change.type, showChange(change, prices));
    },
    missed: changes => stream?.addMissed(changes),
    stop: () => response.end(),
  });
  // The client may have left meanwhile, or control may stop.
  if (response.destroyed || response.writableEnded) return stop();
  stream = new EventStream(response, clock);
  const check = async () => {
    try {
      const caller = await callerAgain(request);
      if (caller) current = filterOf(wanted, caller, scopeOf(caller, 'followRunning'));
      else response.end();
    } catch {
      response.end();
    }
  };
  const checking = clock.setInterval(() => void check(), checkMs);
  const ending = seconds === undefined ? undefined : clock.setTimeout(() => response.end(), seconds * 1_000);
  response.on('close', () => {
    clock.clearInterval(checking);
    clock.clearTimeout(ending);
    stop();
  });
}

/** Returns the filter of a query, within the scope of the caller. @throws GatewayError of kind `forbidden` if the query asks for more */
function filterOf(wanted: RunningFilter, { kind, name, roles }: Caller, scope: Scope): RunningFilter {
  const { project } = wanted;
  const { everything, projects, own } = scope;
  if (everything) return wanted;
  if (project !== undefined && !roles.has(project))
    throw notAllowed(`You have no role in the project '${project}'.`, 'project');
  // Service accounts own no tokens, whatever their names.
  return { ...wanted, within: { projects, own: kind === 'user' ? own : [], owner: name } };
}

function notRunning(): GatewayError {
  const message = 'There is no request in flight with this id: it has ended, or never was.';
  return new GatewayError('not-found', message, { code: 'request_not_found' });
}
