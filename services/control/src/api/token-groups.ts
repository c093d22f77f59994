import { type ProjectInfo, projectSettings, type UserInfo, userSettings } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { patternProblem } from '@model-gateway/catalog';
import type { RequestHandler } from 'express';
import type { z } from 'zod/mini';
import { recordAct } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import type { ProjectSettings, UserSettings } from '../database/tables.ts';
import { reachesProject } from '../people/caller.ts';
import { loginsOf, showLogin } from '../people/logins.ts';
import { rolesOf } from '../people/members.ts';
import type { Projector } from '../projector.ts';
import {
  deleteGroup,
  findGroup,
  groupChange,
  listGroups,
  projectGroups,
  type Refusal,
  setGroup,
  type TokenGroup,
  type TokenGroups,
  userGroups,
} from '../token-groups.ts';
import { actorOf, reachIn } from './admitted.ts';
import { parseBody } from './parse-body.ts';
import { nameIn } from './path-name.ts';
import type { Handlers } from './routes.ts';

interface GroupApi {
  db: Database;
  projector: Projector;
  /** The path of gateway.yaml. */
  file: string;
}

/** The handlers for projects. A change is confirmed only once KV has it. */
export function projectHandlers(
  api: GroupApi,
): Pick<Handlers, 'listProjects' | 'showProject' | 'setProject' | 'deleteProject'> {
  const { list, show, set, remove } = groupHandlers(
    api,
    projectGroups,
    checkedSettings,
    async (_db, groups) => groups.map(showProject),
  );
  return { listProjects: list, showProject: show, setProject: set, deleteProject: remove };
}

/** The settings of a project, with a check of its regular expressions. */
const checkedSettings = projectSettings.check(({ value, issues }) => {
  for (const [at, redaction] of (value.logging?.redact ?? []).entries()) {
    const message = typeof redaction === 'string' ? undefined : patternProblem(redaction.pattern);
    const path = ['logging', 'redact', at, 'pattern'];
    if (message) issues.push({ code: 'custom', input: redaction, path, message });
  }
});

/** The handlers for users. A change is confirmed only once KV has it. */
export function userHandlers(
  api: GroupApi,
): Pick<Handlers, 'listUsers' | 'showUser' | 'setUser' | 'deleteUser'> {
  const { list, show, set, remove } = groupHandlers(api, userGroups, userSettings, showUsers);
  return { listUsers: list, showUser: show, setUser: set, deleteUser: remove };
}

type Handler<Body> = RequestHandler<Record<string, string>, Body>;

function groupHandlers<Settings extends object, Info extends object>(
  { db, projector, file }: GroupApi,
  groups: TokenGroups<Settings>,
  shape: z.ZodMiniType<Parameters<typeof setGroup<Settings>>[3]>,
  show: (db: Database, groups: TokenGroup<Settings>[]) => Promise<Info[]>,
): {
  list: Handler<{ data: Info[] }>;
  show: Handler<Info>;
  set: Handler<Info>;
  remove: Handler<undefined>;
} {
  const { kind } = groups;
  const notFound = () =>
    new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
  const showOne = async (tx: Database, group: TokenGroup<Settings>) => {
    const [shown] = await show(tx, [group]);
    if (!shown) throw notFound();
    return shown;
  };
  const subject = (group: TokenGroup<Settings>) => ({
    subject: { kind, id: group.id, name: group.name },
    ...(kind === 'project' && { project: group.name }),
  });
  return {
    async list(_request, response) {
      const reach = reachIn(response);
      const found = await listGroups(db, groups);
      response.json({
        data: await show(
          db,
          found.filter(({ name }) => reachesProject(reach, name)),
        ),
      });
    },

    async show(request, response) {
      const name = nameIn(request.params);
      const group = reachesProject(reachIn(response), name) ? await findGroup(db, groups, name) : undefined;
      if (!group) throw notFound();
      response.json(await showOne(db, group));
    },

    async set(request, response) {
      const name = nameIn(request.params);
      const wanted = parseBody(shape, request.body);
      const { group, refusal } = await db.transaction(async tx => {
        const set = await setGroup(tx, groups, name, wanted);
        if (!set.refusal)
          await recordAct(tx, actorOf(response), {
            action: kind === 'project' ? 'setProject' : 'setUser',
            ...subject(set.group),
            before: set.before ? await showOne(tx, set.before) : null,
            after: await showOne(tx, set.group),
          });
        return set;
      });
      if (refusal) throw refused(kind, refusal, file);
      await projector.send([groupChange(groups, group)]);
      response.json(await showOne(db, group));
    },

    async remove(request, response) {
      const name = nameIn(request.params);
      const deleted = await deleteGroup(db, groups, name, async (tx, group) =>
        recordAct(tx, actorOf(response), {
          action: kind === 'project' ? 'deleteProject' : 'deleteUser',
          ...subject(group),
          before: await showOne(tx, group),
          after: null,
        }),
      );
      if (!deleted) throw notFound();
      if (deleted.refusal) throw refused(kind, deleted.refusal, file);
      await projector.send([groupChange(groups, { name, version: 0, settings: {} })]);
      response.status(204).end();
    },
  };
}

function refused(kind: TokenGroups<object>['kind'], refusal: Refusal, file: string): GatewayError {
  if (refusal.because === 'tokens') {
    const tokens = refusal.number === 1 ? '1 token' : `${refusal.number} tokens`;
    const message = `The ${kind} has ${tokens}. Revoke them first.`;
    return new GatewayError('invalid-request', message, { code: 'tokens_exist' });
  }
  const { field, position } = refusal;
  const key = `${kind}s[${position}]${field ? `.${field}` : ''}`;
  const message = `${field ?? `The ${kind}`} is managed by ${file}, at ${key}. Change it there.`;
  return new GatewayError('invalid-request', message, {
    ...(field && { param: field }),
    code: 'managed_by_file',
  });
}

function showProject(group: TokenGroup<ProjectSettings>): ProjectInfo {
  const { limits, budget, allowUnpriced, prices, weight, storeResponses, logging } = group.settings;
  return {
    ...identityOf(group),
    limits: limits ?? null,
    budget: budget ?? null,
    allowUnpriced: allowUnpriced ?? null,
    prices: prices ?? null,
    weight: weight ?? null,
    storeResponses: storeResponses ?? null,
    logging: logging ?? null,
  };
}

/** Returns users as the API shows them. */
export async function showUsers(db: Database, users: TokenGroup<UserSettings>[]): Promise<UserInfo[]> {
  const ids = users.map(({ id }) => id);
  const logins = await loginsOf(db, ids);
  const roles = await rolesOf(db, ids);
  return users.map(user => {
    const login = logins.get(user.id);
    return {
      ...identityOf(user),
      budget: user.settings.budget ?? null,
      login: login ? showLogin(login) : null,
      projects: roles.get(user.id) ?? [],
    };
  });
}

function identityOf({ id, name, createdAt, entry }: TokenGroup<object>) {
  return { id, name, createdAt: createdAt.toISOString(), readOnly: Object.keys(entry?.settings ?? {}) };
}
