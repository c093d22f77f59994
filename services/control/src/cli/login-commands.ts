import { type SessionInfo, sessionInfo } from '@model-gateway/admin-api';
import { readFailure, request } from './admin.ts';
import { type Command, table } from './command.ts';
import { keepLogin, readLogin } from './login-file.ts';
import { askPasswords, passwordOf } from './password.ts';

export const login: Command = {
  takes: ['user', 'password-file'],
  async run(_admin, values, _argument, target) {
    const { url, loginFile } = target();
    const user = values.user ?? 'admin';
    const file = values['password-file'];
    const [password = ''] = file === undefined ? await askPasswords('Password') : [passwordOf(file)];
    const response = await request(url, 'POST', '/session', {}, { user, password });
    if (!response.ok) throw await readFailure(response, url);
    const session = sessionInfo.parse(await response.json());
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: session.name, cookie });
    return show(session, values.json);
  },
};

export const logout: Command = {
  takes: [],
  async run(admin, { json }, _argument, target) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new Error(`you are not signed in at ${url}`);
    // A session that has ended needs no more than to be forgotten.
    await admin()
      .people.signOut()
      .catch(() => {});
    await keepLogin(loginFile, url, undefined);
    return json ? JSON.stringify({ user: kept.user, signedOut: true }) : `${kept.user} is signed out.`;
  },
};

export const password: Command = {
  takes: [],
  async run(_admin, { json }, _argument, target) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new Error(`you are not signed in at ${url}: gateway login`);
    const [current, next] = await askPasswords('Current password', 'New password');
    const headers = { cookie: kept.cookie, 'x-gateway-csrf': '1' };
    const response = await request(url, 'PUT', '/session/password', headers, { current, password: next });
    if (!response.ok) throw await readFailure(response, url);
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: kept.user, cookie });
    return json ? JSON.stringify({ user: kept.user, changed: true }) : 'Your password is changed.';
  },
};

export const sessionCommands: Partial<Record<string, Command>> = {
  show: { takes: [], run: async (admin, { json }) => show(await admin().people.session(), json) },
};

function show(session: SessionInfo, json = false): string {
  if (json) return JSON.stringify(session, null, 2);
  const { name, kind, role, projects, expiresAt } = session;
  const inProjects = projects.map(({ project, role: inIt }) => `${project}:${inIt}`).join(',');
  return table([
    ['NAME', 'KIND', 'ROLE', 'PROJECTS', 'EXPIRES'],
    [name, kind, role ?? '-', inProjects || '-', expiresAt ?? 'never'],
  ]);
}
