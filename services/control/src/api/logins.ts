import { loginChange, passwordReset, tokensQuery } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Response } from 'express';
import type { z } from 'zod/mini';
import { recordAct } from '../audit/record.ts';
import type { Change } from '../change.ts';
import type { Database } from '../database/database.ts';
import { editLogin, type LoginEdit, loginsOf, removeLogin, showLogin } from '../people/logins.ts';
import { type Passwords, randomPassword } from '../people/passwords.ts';
import { endSessions } from '../people/sessions.ts';
import type { Projector } from '../projector.ts';
import { findGroup, userGroups } from '../token-groups.ts';
import { actorOf } from './admitted.ts';
import { disableOwned } from './owned-tokens.ts';
import { parseBody } from './parse-body.ts';
import { nameIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { showUsers } from './token-groups.ts';

interface LoginApi {
  db: Database;
  projector: Projector;
  passwords: Passwords;
  /** Called once a password has another value. */
  passwordChanged(user: string): void;
}

/** The handlers for the logins of users. */
export function loginHandlers({
  db,
  projector,
  passwords,
  passwordChanged,
}: LoginApi): Pick<Handlers, 'changeLogin' | 'removeLogin' | 'resetPassword'> {
  return {
    async changeLogin(request, response) {
      const name = nameIn(request.params);
      const { role, tokens, ...edit } = parseBody(loginChange, request.body);
      const wanted: LoginEdit = {
        ...(edit.email !== undefined && { email: edit.email }),
        ...(edit.disabled !== undefined && { disabled: edit.disabled }),
        ...(role !== undefined && { admin: role === 'admin' }),
        ...(edit.oidc === null && { issuer: null, subject: null }),
      };
      const { user, changes } = await db.transaction(async tx => {
        const { id, before } = await existing(tx, name);
        await editLogin(tx, id, wanted);
        if (edit.disabled || edit.oidc === null) await endSessions(tx, id);
        const after = await shownLogin(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordAct(tx, actorOf(response), { action: 'changeLogin', subject, before, after });
        return { user: await existing(tx, name), changes: await disabledOf(tx, response, tokens, id) };
      });
      if (changes.length > 0) await projector.send(changes);
      const [shown] = await showUsers(db, [user.group]);
      if (!shown) throw notFound();
      response.json(shown);
    },

    async removeLogin(request, response) {
      const name = nameIn(request.params);
      const { tokens } = parseQuery(tokensQuery, request.query);
      const changes = await db.transaction(async tx => {
        const { id, before } = await existing(tx, name);
        await removeLogin(tx, id);
        await endSessions(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordAct(tx, actorOf(response), { action: 'removeLogin', subject, before, after: null });
        return disabledOf(tx, response, tokens, id);
      });
      if (changes.length > 0) await projector.send(changes);
      passwordChanged(name);
      response.status(204).end();
    },

    async resetPassword(request, response) {
      const name = nameIn(request.params);
      const given = parseBody(passwordReset, request.body).password;
      const password = given ?? randomPassword();
      await existing(db, name);
      const hash = await passwords.hash(password);
      await db.transaction(async tx => {
        const { id, before } = await existing(tx, name);
        await editLogin(tx, id, { password: hash });
        await endSessions(tx, id);
        const after = await shownLogin(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordAct(tx, actorOf(response), { action: 'resetPassword', subject, before, after });
      });
      passwordChanged(name);
      response.json({ password: given === undefined || given === null ? password : null });
    },
  };
}

/** Disables the tokens that a user owns if that is wanted, and returns the changes to be published. */
async function disabledOf(
  tx: Database,
  response: Response,
  wanted: z.infer<typeof tokensQuery>['tokens'],
  userId: string,
): Promise<Change[]> {
  return wanted === 'disable' ? disableOwned(tx, response, { userId }) : [];
}

/** Returns a user and the login as it is. @throws GatewayError of kind `not-found` if there is none with this name */
async function existing(tx: Database, name: string) {
  const group = await findGroup(tx, userGroups, name);
  if (!group) throw notFound();
  return { group, id: group.id, before: await shownLogin(tx, group.id) };
}

async function shownLogin(tx: Database, id: string): Promise<object | null> {
  const login = (await loginsOf(tx, [id])).get(id);
  return login ? showLogin(login) : null;
}

function notFound(): GatewayError {
  return new GatewayError('not-found', 'There is no such user.', { code: 'user_not_found' });
}
