import {
  name as nameShape,
  type ProjectInfo,
  projectSettings,
  type UserInfo,
  userSettings,
} from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { patternProblem } from '@model-gateway/catalog';
import type { RequestHandler } from 'express';
import { z } from 'zod/mini';
import type { Database } from '../database/database.ts';
import type { ProjectSettings, UserSettings } from '../database/tables.ts';
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
import { parseBody } from './parse-body.ts';
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
  const { list, show, set, remove } = groupHandlers(api, projectGroups, checkedSettings, showProject);
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
  const { list, show, set, remove } = groupHandlers(api, userGroups, userSettings, showUser);
  return { listUsers: list, showUser: show, setUser: set, deleteUser: remove };
}

type Handler<Body> = RequestHandler<Record<string, string>, Body>;

function groupHandlers<Settings extends object, Info>(
  { db, projector, file }: GroupApi,
  groups: TokenGroups<Settings>,
  shape: z.ZodMiniType<Parameters<typeof setGroup<Settings>>[3]>,
  show: (group: TokenGroup<Settings>) => Info,
): {
  list: Handler<{ data: Info[] }>;
  show: Handler<Info>;
  set: Handler<Info>;
  remove: Handler<undefined>;
} {
  const { kind } = groups;
  const notFound = () =>
    new GatewayError('not-found', `There is no such ${kind}.`, { code: `${kind}_not_found` });
  return {
    async list(_request, response) {
      response.json({ data: (await listGroups(db, groups)).map(show) });
    },

    async show(request, response) {
      const group = await findGroup(db, groups, nameOf(request.params));
      if (!group) throw notFound();
      response.json(show(group));
    },

    async set(request, response) {
      const name = nameOf(request.params);
      const { group, refusal } = await setGroup(db, groups, name, parseBody(shape, request.body));
      if (refusal) throw refused(kind, refusal, file);
      await projector.send([groupChange(groups, group)]);
      response.json(show(group));
    },

    async remove(request, response) {
      const name = nameOf(request.params);
      const deleted = await deleteGroup(db, groups, name);
      if (!deleted) throw notFound();
      if (deleted.refusal) throw refused(kind, deleted.refusal, file);
      await projector.send([groupChange(groups, { name, version: 0, settings: {} })]);
      response.status(204).end();
    },
  };
}

/** Returns the name in a path. @throws GatewayError if it cannot be one */
function nameOf({ name }: Record<string, string>): string {
  return parseBody(z.object({ name: nameShape }), { name }).name;
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

function showUser(group: TokenGroup<UserSettings>): UserInfo {
  return { ...identityOf(group), budget: group.settings.budget ?? null };
}

function identityOf({ id, name, createdAt, entry }: TokenGroup<object>) {
  return { id, name, createdAt: createdAt.toISOString(), readOnly: Object.keys(entry?.settings ?? {}) };
}
