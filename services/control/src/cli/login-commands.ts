import { type SessionInfo, sessionInfo } from '@model-gateway/admin-api';
import { readFailure, request } from './admin.ts';
import { type Command, command, text } from './command.ts';
import { CommandError } from './exit-codes.ts';
import { keepLogin, readLogin } from './login-file.ts';
import { askPasswords, passwordOf } from './password.ts';
import { jsonText, table } from './table.ts';

const login = command({
  name: 'login',
  about: 'Sign in, and keep the session for the other commands',
  options: {
    user: text('NAME', 'the user (admin), or the email address'),
    'password-file': text('FILE', 'a file with the password', { names: 'files' }),
  },
  notes: 'Without --password-file it asks for the password, or reads it as a line of standard input.',
  async run({ values, json, target }) {
    const { url, loginFile } = target();
    const user = values.user ?? 'admin';
    const file = values['password-file'];
    const [password = ''] = file === undefined ? await askPasswords('Password') : [passwordOf(file)];
    const response = await request(url, 'POST', '/session', {}, { user, password });
    if (!response.ok) throw await readFailure(response, url);
    const session = sessionInfo.parse(await response.json());
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: session.name, cookie });
    return showSession(session, json);
  },
});

const logout = command({
  name: 'logout',
  about: 'End the session of gateway login',
  async run({ admin, json, target }) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new CommandError(`you are not signed in at ${url}`, 3);
    // A session that has ended needs no more than to be forgotten.
    await admin()
      .people.signOut()
      .catch(() => {});
    await keepLogin(loginFile, url, undefined);
    return json ? JSON.stringify({ user: kept.user, signedOut: true }) : `${kept.user} is signed out.`;
  },
});

const password = command({
  name: 'password',
  about: 'Change your password',
  notes: 'It asks for the current and the new password, or reads a line of standard input for each.',
  async run({ json, target }) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new CommandError(`you are not signed in at ${url}: gateway login`, 3);
    const [current, next] = await askPasswords('Current password', 'New password');
    const headers = { cookie: kept.cookie, 'x-gateway-csrf': '1' };
    const response = await request(url, 'PUT', '/session/password', headers, { current, password: next });
    if (!response.ok) throw await readFailure(response, url);
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: kept.user, cookie });
    return json ? JSON.stringify({ user: kept.user, changed: true }) : 'Your password is changed.';
  },
});

const show = command({
  name: 'session show',
  about: 'Show who you are, with role and projects',
  run: async ({ admin, json }) => showSession(await admin().people.session(), json),
});

export const loginCommands: readonly Command[] = [login, logout, password, show];

function showSession(session: SessionInfo, json: boolean): string {
  if (json) return jsonText(session);
  const { name, kind, role, projects, expiresAt } = session;
  const inProjects = projects.map(({ project, role: inIt }) => `${project}:${inIt}`).join(',');
  return table([
    ['NAME', 'KIND', 'ROLE', 'PROJECTS', 'EXPIRES'],
    [name, kind, role ?? '-', inProjects || '-', expiresAt ?? 'never'],
  ]);
}
