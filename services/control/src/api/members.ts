import { memberSettings, membersQuery, tokensQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { lockCatalog } from '../audit/catalog-table.ts';
import { recordEvent } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import { includesProject, type Scope } from '../people/caller.ts';
import { listMembers, lockRole, removeMember, roleIn, setMember } from '../people/members.ts';
import { findGroup, projectGroups, userGroups } from '../people/token-groups.ts';
import type { Projector } from '../projection/projector.ts';
import { actorOf, scopeIn } from './admitted.ts';
import { assertConditions, sendResource, tagOf } from './conditions.ts';
import { disableOwned } from './owned-tokens.ts';
import { Pages, placeByName } from './paging.ts';
import { parseBody } from './parse-body.ts';
import { nameIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';

const pages = new Pages('listMembers', placeByName);

/** The handlers for the users who have a role in a project. */
export function memberHandlers(
  db: Database,
  projector: Projector,
): Pick<Handlers, 'listMembers' | 'showMember' | 'setMember' | 'removeMember'> {
  return {
    async listMembers(request, response) {
      const project = nameIn(request.params);
      const { role, ...asked } = parseQuery(membersQuery, request.query);
      await projectId(db, scopeIn(response), project);
      const { rows, next } = await pages.read(
        pages.asked(asked),
        page => listMembers(db, project, role, page),
        ({ user }) => user,
      );
      response.json({ data: rows, next });
    },

    async showMember(request, response) {
      const project = nameIn(request.params);
      const user = nameIn(request.params, 'user');
      await projectId(db, scopeIn(response), project);
      const role = await roleIn(db, project, user);
      if (!role) throw notFound();
      const member = { user, role };
      sendResource(request, response, member, tagOf(member));
    },

    async setMember(request, response) {
      const project = nameIn(request.params);
      const user = nameIn(request.params, 'user');
      const { role } = parseBody(memberSettings, request.body);
      await db.transaction(async tx => {
        // A project or a user that is deleted at the same time keeps no role.
        await lockCatalog(tx);
        const ids = {
          projectId: await projectId(tx, scopeIn(response), project),
          userId: await userId(tx, user),
        };
        const before = await lockRole(tx, { project, user, userId: ids.userId });
        assertConditions(request, before && tagOf({ user, role: before }));
        await setMember(tx, { ...ids, role });
        await recordEvent(tx, actorOf(response), {
          action: 'setMember',
          subject: { kind: 'member', id: ids.userId, name: user },
          project,
          before: before ? { role: before } : null,
          after: { role },
        });
      });
      sendResource(request, response, { user, role }, tagOf({ user, role }));
    },

    async removeMember(request, response) {
      const project = nameIn(request.params);
      const user = nameIn(request.params, 'user');
      const { tokens } = parseQuery(tokensQuery, request.query);
      const changes = await db.transaction(async tx => {
        const ofProject = await projectId(tx, scopeIn(response), project);
        const ofUser = await userId(tx, user);
        const role = await lockRole(tx, { project, user, userId: ofUser });
        if (!role) throw notFound();
        assertConditions(request, tagOf({ user, role }));
        await removeMember(tx, ofUser, ofProject);
        const subject = { kind: 'member', id: ofUser, name: user } as const;
        await recordEvent(tx, actorOf(response), {
          ...{ action: 'removeMember', subject, project, before: { role }, after: null },
        });
        if (tokens !== 'disable') return [];
        return disableOwned(tx, response, { userId: ofUser, projectId: ofProject });
      });
      if (changes.length > 0) await projector.send(changes);
      response.status(204).end();
    },
  };
}

function notFound(): GatewayError {
  return new GatewayError('not-found', 'The user has no role in the project.', { code: 'member_not_found' });
}

async function projectId(db: Database, scope: Scope, name: string): Promise<string> {
  const project = includesProject(scope, name) ? await findGroup(db, projectGroups, name) : undefined;
  if (!project)
    throw new GatewayError('not-found', 'There is no such project.', { code: 'project_not_found' });
  return project.id;
}

async function userId(db: Database, name: string): Promise<string> {
  const user = await findGroup(db, userGroups, name);
  if (!user) throw new GatewayError('not-found', 'There is no such user.', { code: 'user_not_found' });
  return user.id;
}
