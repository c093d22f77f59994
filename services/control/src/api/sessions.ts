import { hashSecret } from '@model-gateway/access';
import { passwordChange, type SessionInfo, signIn } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import type { Request, Response } from 'express';
import { recordEvent } from '../audit/record.ts';
import { invalidField } from '../common/invalid-fields.ts';
import type { Database } from '../database/database.ts';
import { type Caller, notAllowed } from '../people/caller.ts';
import { editLogin, findLogin, type Login, noteSignIn } from '../people/logins.ts';
import type { Passwords } from '../people/passwords.ts';
import { callerOfSession, endSession, endSessions, type Sessions } from '../people/sessions.ts';
import type { SignInAttempts } from '../people/sign-in-attempts.ts';
import { actorOf, callerOf, originOf } from './admitted.ts';
import { parseBody } from './parse-body.ts';
import type { Handlers } from './routes.ts';
import { assertSameOrigin } from './same-origin.ts';
import { sessionCookie } from './session-cookie.ts';

interface SessionApi {
  db: Database;
  sessions: Sessions;
  passwords: Passwords;
  attempts: SignInAttempts;
  publicUrl: string | undefined;
  /** Called once a user's password has another value. */
  passwordChanged(user: string): void;
}

/** The handlers for the caller's own session and password. */
export function sessionHandlers(
  api: SessionApi,
): Pick<Handlers, 'signIn' | 'showSession' | 'signOut' | 'changePassword'> {
  const { db, sessions, publicUrl } = api;
  return {
    async signIn(request, response) {
      assertSameOrigin(request, publicUrl);
      const { user, password } = parseBody(signIn, request.body);
      const login = await checkPassword(api, user, password, originOf(response).address);
      const caller = await beginSession(api, login, request, response);
      response.status(201).set('cache-control', 'no-store').json(showCaller(caller));
    },

    async showSession(_request, response) {
      response.json(showCaller(callerOf(response)));
    },

    async signOut(request, response) {
      const { session, name } = callerOf(response);
      if (session !== undefined)
        await db.transaction(async tx => {
          await endSession(tx, session);
          const subject = { kind: 'session', name } as const;
          await recordEvent(tx, actorOf(response), { action: 'signOut', subject, before: null, after: null });
        });
      sessionCookie.remove(request, response);
      response.status(204).end();
    },

    async changePassword(request, response) {
      const { id, name, session } = callerOf(response);
      if (id === null || session === undefined)
        throw notAllowed('Only a user who is signed in has a password of their own.');
      const { current, password } = parseBody(passwordChange, request.body);
      await checkPassword(api, name, current, originOf(response).address, 'current');
      const hash = await api.passwords.hash(password);
      const next = await db.transaction(async tx => {
        await editLogin(tx, id, { password: hash });
        await endSessions(tx, id);
        const subject = { kind: 'user', id, name } as const;
        await recordEvent(tx, actorOf(response), {
          action: 'changePassword',
          subject,
          before: null,
          after: null,
        });
        return sessions.begin(tx, id);
      });
      api.passwordChanged(name);
      sessionCookie.set(request, response, next.secret, next.endsAt);
      response.status(204).end();
    },
  };
}

/**
 * Returns the login of a user with this password. An unknown user, one who may not sign in and a wrong password get the same answer,
 * after the same time. `param` is the field with the password of a user who is signed in. @throws GatewayError
 */
async function checkPassword(
  { db, passwords, attempts }: SessionApi,
  user: string,
  password: string,
  client: string,
  param?: string,
): Promise<Login> {
  await attempts.countAddress(client);
  const login = await findLogin(db, user);
  // The name and the email address of one user count together.
  const asked = login?.name ?? user;
  await attempts.countUser(asked);
  const isRight = await passwords.matches(password, login?.password ?? null);
  if (!login || !isRight || login.disabled) {
    if (param === undefined) throw incorrectCredentials();
    throw invalidField(param, 'is not your password', 'incorrect_credentials');
  }
  await attempts.forget(asked, client);
  return login;
}

/** Begins a session of a user who has signed in. @throws GatewayError if the login has changed since it was read */
export async function beginSession(
  { db, sessions }: Pick<SessionApi, 'db' | 'sessions'>,
  login: Login,
  request: Request,
  response: Response,
): Promise<Caller> {
  const { userId, name, admin: isAdmin } = login;
  // The session before this one ends, so that its secret is never one of the new session.
  const earlier = sessionCookie.read(request);
  const { secret, hash, endsAt } = await db.transaction(async tx => {
    if (!(await noteSignIn(tx, login))) throw incorrectCredentials();
    if (earlier !== undefined) await endSession(tx, hashSecret(earlier));
    const subject = { kind: 'session', name } as const;
    const actor = actorOf(response, { kind: 'user', id: userId, name });
    await recordEvent(tx, actor, { action: 'signIn', subject, before: null, after: null });
    return sessions.begin(tx, userId);
  });
  sessionCookie.set(request, response, secret, endsAt);
  return callerOfSession(db, { hash, userId, name, isAdmin, endsAt });
}

function incorrectCredentials(): GatewayError {
  return new GatewayError('unauthenticated', 'The user or the password is wrong.', {
    code: 'incorrect_credentials',
  });
}

export function showCaller({ kind, name, isAdmin, roles, expiresAt }: Caller): SessionInfo {
  return {
    kind,
    name,
    role: isAdmin ? 'admin' : null,
    projects: [...roles].map(([project, role]) => ({ project, role })),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
