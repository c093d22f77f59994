import { loginChange, passwordReset, tokensQuery, type UserInfo } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';
import type { z } from 'zod/mini';
import { recordEvent } from '../audit/record.ts';
import type { Change } from '../common/change.ts';
import type { PlaceOf } from '../common/managed-by-file.ts';
import type { Database } from '../database/database.ts';
import { editLogin, type LoginEdit, loginsOf, removeLogin, showLogin } from '../people/logins.ts';
import { type Passwords, randomPassword } from '../people/passwords.ts';
import { endSessions } from '../people/sessions.ts';
import { findGroup, lockGroup, userGroups } from '../people/token-groups.ts';
import type { Projector } from '../projection/projector.ts';
import { actorOf } from './admitted.ts';
import { assertConditions, sendResource } from './conditions.ts';
import { keepAnswer, sendKept } from './idempotency.ts';
import { disableOwned } from './owned-tokens.ts';
import { parseBody } from './parse-body.ts';
import { nameIn } from './path-name.ts';
import { parseQuery } from './query.ts';
import type { Handlers } from './routes.ts';
import { showUsers, tagOfGroup } from './token-groups.ts';

interface LoginApi {
  db: Database;
  projector: Projector;
  passwords: Passwords;
  placeOf: PlaceOf;
  /** Called once a password has another value. */
  passwordChanged(user: string): void;
}

/** The handlers for the logins of users. */
export function loginHandlers({
  db,
  projector,
  passwords,
  placeOf,
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
        const { id, before } = await locked(tx, name, request, placeOf);
        await editLogin(tx, id, wanted);
        if (edit.disabled || edit.oidc === null) await endSessions(tx, id);
        const after = await shownLogin(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordEvent(tx, actorOf(response), { action: 'changeLogin', subject, before, after });
        const changes = await disabledOf(tx, response, tokens, id);
        return { user: await shownUser(tx, name, placeOf), changes };
      });
      if (changes.length > 0) await projector.send(changes);
      sendResource(request, response, user, tagOfGroup(user));
    },

    async removeLogin(request, response) {
      const name = nameIn(request.params);
      const { tokens } = parseQuery(tokensQuery, request.query);
      const changes = await db.transaction(async tx => {
        const { id, before } = await locked(tx, name, request, placeOf);
        await removeLogin(tx, id);
        await endSessions(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordEvent(tx, actorOf(response), { action: 'removeLogin', subject, before, after: null });
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
      if (!(await findGroup(db, userGroups, name))) throw notFound();
      const hash = await passwords.hash(password);
      const answer = {
        status: 200,
        body: { password: given === undefined || given === null ? password : null },
      };
      await db.transaction(async tx => {
        const { id, before } = await locked(tx, name, request, placeOf);
        await editLogin(tx, id, { password: hash });
        await endSessions(tx, id);
        const after = await shownLogin(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordEvent(tx, actorOf(response), { action: 'resetPassword', subject, before, after });
        await keepAnswer(tx, response, answer);
      });
      passwordChanged(name);
      await sendKept(response, answer);
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

/**
 * Locks a user until the transaction ends, and returns the id and the login as it is.
 * @throws GatewayError if there is no such user, or a condition of the request does not hold
 */
async function locked(tx: Database, name: string, request: Request, placeOf: PlaceOf) {
  const user = await lockGroup(tx, userGroups, name);
  if (!user) throw notFound();
  assertConditions(request, tagOfGroup(await shownUser(tx, name, placeOf)));
  return { id: user.id, before: await shownLogin(tx, user.id) };
}

/** Returns a user as the API shows it. @throws GatewayError of kind `not-found` if there is none with this name */
async function shownUser(tx: Database, name: string, placeOf: PlaceOf): Promise<UserInfo> {
  const user = await findGroup(tx, userGroups, name);
  const [shown] = user ? await showUsers(tx, [user], placeOf) : [];
  if (!shown) throw notFound();
  return shown;
}

async function shownLogin(tx: Database, id: string): Promise<object | null> {
  const login = (await loginsOf(tx, [id])).get(id);
  return login ? showLogin(login) : null;
}

function notFound(): GatewayError {
  return new GatewayError('not-found', 'There is no such user.', { code: 'user_not_found' });
}
