import { type AccountRole, accountRotation, type FieldError, newAccount } from '@model-gateway/admin-api';
import { recordEvent } from '../audit/record.ts';
import { InvalidFields, invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import { createAccount, lockAccount, rotateAccount } from '../people/accounts.ts';
import { findGroup, projectGroups } from '../people/token-groups.ts';
import { noSuchAccount, showAccount, subjectOf, tagOfAccount } from './accounts.ts';
import { actorOf } from './admitted.ts';
import { assertConditions } from './conditions.ts';
import { keepAnswer, sendKept } from './idempotency.ts';
import { parseBody } from './parse-body.ts';
import { idIn } from './path-name.ts';
import type { Handlers } from './routes.ts';

/** The handlers that give service accounts their tokens. */
export function issuedAccountHandlers(db: Database): Pick<Handlers, 'createAccount' | 'rotateAccount'> {
  return {
    async createAccount(request, response) {
      const { name, role, projects, expiresAt } = parseBody(newAccount, request.body);
      const names = [...new Set(projects)];
      assertProjectsFor(role, names);
      const answer = await db.transaction(async tx => {
        const projectIds = await idsOf(tx, names);
        const made = await createAccount(tx, { name, role, projectIds, expiresAt: new Date(expiresAt) });
        const after = showAccount(made);
        await recordEvent(tx, actorOf(response), {
          action: 'createAccount',
          subject: subjectOf(made),
          before: null,
          after,
        });
        const body = { ...after, token: made.token };
        const answer = { status: 201, etag: tagOfAccount(made).text, body };
        await keepAnswer(tx, response, answer);
        return answer;
      });
      await sendKept(response, answer);
    },

    async rotateAccount(request, response) {
      const end = new Date(parseBody(accountRotation, request.body).expiresAt);
      const id = idIn(request.params);
      const answer = await db.transaction(async tx => {
        const before = await lockAccount(tx, id);
        if (!before) throw noSuchAccount();
        assertConditions(request, tagOfAccount(before));
        const rotated = await rotateAccount(tx, id, end);
        if (!rotated) throw noSuchAccount();
        await recordEvent(tx, actorOf(response), {
          action: 'rotateAccount',
          subject: subjectOf(rotated),
          before: showAccount(before),
          after: showAccount(rotated),
        });
        const answer = { status: 200, body: { ...showAccount(rotated), token: rotated.token } };
        await keepAnswer(tx, response, answer);
        return answer;
      });
      await sendKept(response, answer);
    },
  };
}

/** @throws GatewayError if a role does not fit to the projects */
function assertProjectsFor(role: AccountRole, projects: readonly string[]): void {
  if (role === 'admin' && projects.length > 0)
    throw invalidField('projects', 'must be empty for an admin, whose role is for all', 'invalid_value');
  if (role !== 'admin' && projects.length === 0)
    throw invalidField('projects', `must name the projects in which it is a ${role}`, 'invalid_value');
}

/** Returns the ids of projects. @throws GatewayError naming each that does not exist */
async function idsOf(tx: Database, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const errors: FieldError[] = [];
  for (const [position, name] of names.entries()) {
    const project = await findGroup(tx, projectGroups, name);
    if (project) found.push(project.id);
    else errors.push({ path: `projects[${position}]`, message: 'is no project', code: 'project_not_found' });
  }
  if (errors.length > 0) throw new InvalidFields(errors);
  return found;
}
