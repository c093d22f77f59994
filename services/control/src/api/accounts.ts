import { type AccountInfo, accountDays, accountRotation, newAccount } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { recordAct } from '../audit/record.ts';
import type { Database } from '../database/database.ts';
import {
  type Account,
  createAccount,
  findAccount,
  listAccounts,
  revokeAccount,
  rotateAccount,
} from '../people/accounts.ts';
import { findGroup, projectGroups } from '../token-groups.ts';
import { actorOf } from './admitted.ts';
import { invalidField, parseBody } from './parse-body.ts';
import { idIn } from './path-name.ts';
import type { Handlers } from './routes.ts';

/** The handlers for service accounts. */
export function accountHandlers(
  db: Database,
): Pick<Handlers, 'listAccounts' | 'createAccount' | 'rotateAccount' | 'revokeAccount'> {
  return {
    async listAccounts(_request, response) {
      response.json({ data: (await listAccounts(db)).map(showAccount) });
    },

    async createAccount(request, response) {
      const { name, role, projects, expiresAt } = parseBody(newAccount, request.body);
      const names = [...new Set(projects)];
      if (role === 'admin' && names.length > 0)
        throw invalidField('projects', 'must be empty for an admin, whose role is for all', 'invalid_value');
      if (role !== 'admin' && names.length === 0)
        throw invalidField('projects', `must name the projects in which it is a ${role}`, 'invalid_value');
      const end = endOf(expiresAt);
      const account = await db.transaction(async tx => {
        const projectIds = await idsOf(tx, names);
        const made = await createAccount(tx, { name, role, projectIds, expiresAt: end });
        const after = showAccount(made);
        await recordAct(tx, actorOf(response), {
          action: 'createAccount',
          subject: subjectOf(made),
          before: null,
          after,
        });
        return made;
      });
      response.status(201).json({ ...showAccount(account), token: account.token });
    },

    async rotateAccount(request, response) {
      const end = endOf(parseBody(accountRotation, request.body).expiresAt);
      const id = idIn(request.params);
      const account = await db.transaction(async tx => {
        const before = await findAccount(tx, id);
        const rotated = await rotateAccount(tx, id, end);
        if (!before || !rotated) throw notFound();
        await recordAct(tx, actorOf(response), {
          action: 'rotateAccount',
          subject: subjectOf(rotated),
          before: showAccount(before),
          after: showAccount(rotated),
        });
        return rotated;
      });
      response.json({ ...showAccount(account), token: account.token });
    },

    async revokeAccount(request, response) {
      const id = idIn(request.params);
      await db.transaction(async tx => {
        const account = await findAccount(tx, id);
        if (!account || !(await revokeAccount(tx, id))) throw notFound();
        await recordAct(tx, actorOf(response), {
          action: 'revokeAccount',
          subject: subjectOf(account),
          before: showAccount(account),
          after: null,
        });
      });
      response.status(204).end();
    },
  };
}

function showAccount({ id, name, role, projects, prefix, ...times }: Account): AccountInfo {
  return {
    ...{ id, name, role, projects, prefix },
    createdAt: times.createdAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
    lastUsedAt: times.lastUsedAt?.toISOString() ?? null,
  };
}

function subjectOf({ id, name }: Account) {
  return { kind: 'account', id, name } as const;
}

function endOf(text: string): Date {
  const time = new Date(text);
  const now = Date.now();
  if (time.getTime() <= now) throw invalidField('expiresAt', 'must be in the future', 'invalid_value');
  if (time.getTime() > now + accountDays * 86_400_000)
    throw invalidField('expiresAt', `must be at most ${accountDays} days from now`, 'invalid_value');
  return time;
}

/** Returns the ids of projects. @throws GatewayError if there is no such project */
async function idsOf(tx: Database, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [position, name] of names.entries()) {
    const project = await findGroup(tx, projectGroups, name);
    if (!project) throw invalidField(`projects[${position}]`, 'is no project', 'project_not_found');
    found.push(project.id);
  }
  return found;
}

function notFound(): GatewayError {
  return new GatewayError('not-found', 'There is no such service account.', { code: 'account_not_found' });
}
