import { tokenListQuery } from '@model-gateway/admin-api';
import { recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { projectsWithin } from '../people/caller.ts';
import { lockGroup, userGroups } from '../people/token-groups.ts';
import type { Projector } from '../projection/projector.ts';
import { assertRoomForToken, assertScopeBytes, type TokenBounds } from '../tokens/token-bounds.ts';
import { listTokens } from '../tokens/token-list.ts';
import { editToken, liveToken, revokeToken } from '../tokens/tokens.ts';
import { actorOf, callerOf, scopeIn } from './admitted.ts';
import { assertConditions } from './conditions.ts';
import { Pages, placeInTime } from './paging.ts';
import { idIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { actsOn, admitToken, tokenPublisher } from './token-events.ts';
import { parseTokenChange } from './token-request.ts';
import { accountOf, admitChange, reachesToken } from './token-scope.ts';
import { noSuchToken, sendToken, showToken, tagOfToken } from './token-view.ts';
import { dateOf, nameAndValue } from './usage.ts';

type TokenHandlers = Pick<Handlers, 'listTokens' | 'showToken' | 'changeToken' | 'revokeToken'>;

const pages = new Pages('listTokens', placeInTime);

/** The handlers for tokens without their secrets. A change is confirmed only once KV has it. */
export function tokenHandlers(db: Database, projector: Projector, bounds: TokenBounds): TokenHandlers {
  const publish = tokenPublisher(db, projector);
  return {
    async listTokens(request, response) {
      const {
        limit,
        cursor,
        project,
        tag = [],
        expiresBefore,
        ...wanted
      } = parseQuery(tokenListQuery, request.query);
      const filter = {
        ...wanted,
        project: projectsWithin(scopeIn(response), project),
        tags: [tag].flat().map(nameAndValue),
        expiresBefore: dateOf(expiresBefore),
      };
      const { rows, next } = await pages.read(
        pages.asked({ limit, cursor }),
        page => listTokens(db, filter, page),
        ({ micros, id }) => [micros, id],
      );
      response.json({ data: rows.map(showToken), next });
    },

    async showToken(request, response) {
      const token = await liveToken(db, idIn(request.params));
      if (!token || !reachesToken(scopeIn(response), callerOf(response), token)) throw noSuchToken();
      sendToken(request, response, token);
    },

    async changeToken(request, response) {
      const edit = parseTokenChange(request.body);
      const id = idIn(request.params);
      const changed = await db.transaction(async tx => {
        // A change of a user that disables its tokens locks the user first, too.
        if (edit.owner) await lockGroup(tx, userGroups, edit.owner);
        const before = await admitToken(tx, response, id);
        if (!before) return undefined;
        assertConditions(request, tagOfToken(before));
        const caller = callerOf(response);
        await admitChange(tx, caller, scopeIn(response), before, edit);
        const { project = before.project, owner = before.owner } = edit;
        const place = { project, owner, account: accountOf(caller) };
        if (!caller.isAdmin) await assertRoomForToken(tx, bounds, place, before);
        const after = await editToken(tx, id, edit);
        if (after && !caller.isAdmin) assertScopeBytes(bounds, after.settings, before.settings);
        if (after) await recordEvent(tx, actorOf(response), ...actsOn('changeToken', before, after));
        return after;
      });
      sendToken(request, response, await publish(changed));
    },

    async revokeToken(request, response) {
      const id = idIn(request.params);
      const revoked = await db.transaction(async tx => {
        const before = await admitToken(tx, response, id);
        if (!before) return undefined;
        assertConditions(request, tagOfToken(before));
        const after = await revokeToken(tx, id);
        if (after) await recordEvent(tx, actorOf(response), ...actsOn('revokeToken', before, null));
        return after;
      });
      // It takes effect before KV has it: it is announced to all followers even while KV cannot be written.
      await publish(revoked);
      response.status(204).end();
    },
  };
}
