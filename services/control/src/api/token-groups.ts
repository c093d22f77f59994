import {
  groupsQuery,
  type ProjectInfo,
  projectSettings,
  type UserInfo,
  userSettings,
} from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { logging } from '@model-gateway/catalog';
import type { RequestHandler } from 'express';
import { z } from 'zod/mini';
import { recordEvent } from '../audit/record.ts';
import type { PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import type { ProjectSettings, UserSettings } from '../database/tables.ts';
import { includesProject } from '../people/caller.ts';
import { loginsOf, showLogin } from '../people/logins.ts';
import { rolesOf } from '../people/members.ts';
import {
  deleteGroup,
  findGroup,
  groupChange,
  listGroups,
  projectGroups,
  setGroup,
  type TokenGroup,
  type TokenGroups,
  userGroups,
} from '../people/token-groups.ts';
import type { Projector } from '../projection/projector.ts';
import { actorOf, scopeIn } from './admitted.ts';
import { assertConditions, sendResource, type Tag, tagOf } from './conditions.ts';
import { Pages, placeByName } from './paging.ts';
import { parseBody } from './parse-body.ts';
import { nameIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { shownSettings } from './shown-settings.ts';

interface GroupApi {
  db: Database;
  projector: Projector;
  placeOf: PlaceOf;
}

/** The handlers for projects. A change is confirmed only once KV has it. */
export function projectHandlers(
  api: GroupApi,
): Pick<Handlers, 'listProjects' | 'showProject' | 'setProject' | 'deleteProject'> {
  const of: GroupKind<ProjectSettings, ProjectInfo> = {
    ...api,
    groups: projectGroups,
    shape: checkedSettings,
    show: async (_db, groups) => groups.map(group => showProject(group, api.placeOf)),
  };
  const { list, show } = groupReads(of);
  const { set, remove } = groupChanges(of);
  return { listProjects: list, showProject: show, setProject: set, deleteProject: remove };
}

const checkedSettings = z.extend(projectSettings, { logging: z.nullish(logging) });

/** The handlers for users. A change is confirmed only once KV has it. */
export function userHandlers(
  api: GroupApi,
): Pick<Handlers, 'listUsers' | 'showUser' | 'setUser' | 'deleteUser'> {
  const of: GroupKind<UserSettings, UserInfo> = {
    ...api,
    groups: userGroups,
    shape: userSettings,
    show: (db, users) => showUsers(db, users, api.placeOf),
  };
  const { list, show } = groupReads(of);
  const { set, remove } = groupChanges(of);
  return { listUsers: list, showUser: show, setUser: set, deleteUser: remove };
}

type Handler<Body> = RequestHandler<Record<string, string>, Body>;

/** Projects or users, as their handlers need them. */
interface GroupKind<Settings extends object, Info extends object> extends GroupApi {
  groups: TokenGroups<Settings>;
  shape: z.ZodMiniType<Parameters<typeof setGroup<Settings>>[3]>;
  show(db: Database, groups: TokenGroup<Settings>[]): Promise<Info[]>;
}

/** The handlers that read projects or users. */
function groupReads<Settings extends object, Info extends object>(
  of: GroupKind<Settings, Info>,
): { list: Handler<{ data: Info[]; next: string | null }>; show: Handler<Info> } {
  const { db, groups, show } = of;
  const pages = new Pages(groups.kind === 'project' ? 'listProjects' : 'listUsers', placeByName);
  return {
    async list(request, response) {
      const { name, ...asked } = parseQuery(groupsQuery, request.query);
      const { everything, projects } = scopeIn(response);
      const filter = { name, names: everything ? undefined : projects };
      const { rows, next } = await pages.read(
        pages.asked(asked),
        page => listGroups(db, groups, filter, page),
        group => group.name,
      );
      response.json({ data: await show(db, rows), next });
    },

    async show(request, response) {
      const name = nameIn(request.params);
      const group = includesProject(scopeIn(response), name) ? await findGroup(db, groups, name) : undefined;
      if (!group) throw noSuchGroup(groups);
      const shown = await showOne(of, db, group);
      sendResource(request, response, shown, tagOfGroup(shown));
    },
  };
}

/** The handlers that change projects or users. */
function groupChanges<Settings extends object, Info extends object>(
  of: GroupKind<Settings, Info>,
): { set: Handler<Info>; remove: Handler<undefined> } {
  const { db, projector, placeOf, groups, shape } = of;
  const { kind } = groups;
  const subject = (group: TokenGroup<Settings>) => ({
    subject: { kind, id: group.id, name: group.name },
    ...(kind === 'project' && { project: group.name }),
  });
  return {
    async set(request, response) {
      const name = nameIn(request.params);
      const wanted = parseBody(shape, request.body);
      const admit = async (tx: Database, before: TokenGroup<Settings> | undefined) =>
        assertConditions(request, before && tagOfGroup(await showOne(of, tx, before)));
      const { group, shown } = await db.transaction(async tx => {
        const { before, group } = await setGroup(tx, groups, name, wanted, { placeOf, admit });
        const after = await showOne(of, tx, group);
        await recordEvent(tx, actorOf(response), {
          action: kind === 'project' ? 'setProject' : 'setUser',
          ...subject(group),
          before: before ? await showOne(of, tx, before) : null,
          after,
        });
        return { group, shown: after };
      });
      await projector.send([groupChange(groups, group)]);
      sendResource(request, response, shown, tagOfGroup(shown));
    },

    async remove(request, response) {
      const name = nameIn(request.params);
      const deleted = await deleteGroup(db, groups, name, placeOf, async (tx, group) => {
        const before = await showOne(of, tx, group);
        assertConditions(request, tagOfGroup(before));
        await recordEvent(tx, actorOf(response), {
          action: kind === 'project' ? 'deleteProject' : 'deleteUser',
          ...subject(group),
          before,
          after: null,
        });
      });
      if (!deleted) throw noSuchGroup(groups);
      await projector.send([groupChange(groups, { name, version: 0, settings: {} })]);
      response.status(204).end();
    },
  };
}

async function showOne<Settings extends object, Info extends object>(
  { groups, show }: Pick<GroupKind<Settings, Info>, 'groups' | 'show'>,
  tx: Database,
  group: TokenGroup<Settings>,
): Promise<Info> {
  const [shown] = await show(tx, [group]);
  if (!shown) throw noSuchGroup(groups);
  return shown;
}

function noSuchGroup({ kind }: Pick<TokenGroups<object>, 'kind'>): GatewayError {
  return new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
}

/** Returns the ETag of a project or a user. The roles of a user are changed in the projects. */
export function tagOfGroup(shown: object): Tag {
  return tagOf(shown, 'login' in shown ? ['projects', 'login.lastSignInAt'] : []);
}

function showProject(group: TokenGroup<ProjectSettings>, placeOf: PlaceOf): ProjectInfo {
  return {
    ...identityOf('project', group, placeOf),
    ...shownSettings<Pick<ProjectInfo, keyof ProjectSettings>>(projectSettings.shape, group.settings),
  };
}

/** Returns users as the API shows them. */
export async function showUsers(
  db: Database,
  users: TokenGroup<UserSettings>[],
  placeOf: PlaceOf,
): Promise<UserInfo[]> {
  const ids = users.map(({ id }) => id);
  const logins = await loginsOf(db, ids);
  const roles = await rolesOf(db, ids);
  return users.map(user => {
    const login = logins.get(user.id);
    return {
      ...identityOf('user', user, placeOf),
      budget: user.settings.budget ?? null,
      login: login ? showLogin(login) : null,
      projects: roles.get(user.id) ?? [],
    };
  });
}

function identityOf(
  kind: TokenGroups<object>['kind'],
  { id, name, createdAt, managedBy }: TokenGroup<object>,
  placeOf: PlaceOf,
) {
  const place = managedBy === 'file' ? placeOf(kind, name) : null;
  return { id, name, createdAt: createdAt.toISOString(), managedBy, place };
}
