import { type SessionInfo, sessionInfo } from '@model-gateway/admin-api';
import { adminAt } from './admin.ts';
import { loginByBrowser, openBrowser } from './browser-login.ts';
import { type Command, command, flag, text } from './command.ts';
import { CommandError, UsageError } from './exit-codes.ts';
import { keepLogin, readLogin } from './login-file.ts';
import { askPasswords, passwordOf } from './password.ts';
import { jsonText, table } from './table.ts';

const login = command({
  name: 'login',
  about: 'Sign in, and keep the session for the other commands',
  options: {
    user: text('NAME', 'the user (admin), or the email address'),
    'password-file': text('FILE', 'a file with the password', { names: 'files' }),
    sso: flag('sign in in the browser, by OpenID Connect'),
    port: text('PORT', 'the port of 127.0.0.1 to which the browser returns (any free one)'),
    'no-browser': flag('print the URL without opening it'),
  },
  notes: [
    'Without --password-file it asks for the password, or reads it as a line of standard input.',
    'With --sso you sign in in a browser on this computer, by OpenID Connect. GATEWAY_URL must then be the URL of',
    'the gateway in browsers. It is the default where there is no other way to sign in.',
  ].join('\n'),
  async run({ values, json, target }) {
    const { url, loginFile } = target();
    const response = (await isByBrowser(values, url))
      ? await browserLogin(values, url)
      : await passwordLogin(values, url);
    const session = sessionInfo.parse(await response.json());
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: session.name, cookie });
    return showSession(session, json);
  },
});

type LoginValues = {
  user: string | undefined;
  'password-file': string | undefined;
  sso: boolean | undefined;
  port: string | undefined;
  'no-browser': boolean | undefined;
};

/** True for a sign-in by the browser: it is asked for, or there is no other way. */
async function isByBrowser(values: LoginValues, url: string): Promise<boolean> {
  if (values.sso) {
    if (values.user !== undefined || values['password-file'] !== undefined)
      throw new UsageError('--sso takes neither --user nor --password-file');
    return true;
  }
  if (values.user !== undefined || values['password-file'] !== undefined) return false;
  const { oidc, password } = await adminAt({ url, headers: {} }).call('showSignInWays');
  return oidc && !password;
}

async function browserLogin(values: LoginValues, url: string): Promise<Response> {
  const port = values.port === undefined ? 0 : Number(values.port);
  if (!Number.isInteger(port) || (port !== 0 && port < 1_024) || port > 65_535)
    throw new UsageError('--port must be a number from 1024 to 65535');
  const isAtScreen = process.stderr.isTTY === true && !values['no-browser'];
  return loginByBrowser({
    ...{ url, port },
    show: message => process.stderr.write(`${message}\n`),
    open: isAtScreen ? openBrowser : undefined,
  });
}

async function passwordLogin(values: LoginValues, url: string): Promise<Response> {
  const user = values.user ?? 'admin';
  const file = values['password-file'];
  const [password = ''] = file === undefined ? await askPasswords('Password') : [passwordOf(file)];
  return adminAt({ url, headers: {} }).fetch('signIn', { body: { user, password } });
}

const logout = command({
  name: 'logout',
  about: 'End the session of gateway login',
  async run({ admin, json, target }) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new CommandError(`you are not signed in at ${url}`, 3);
    // A session that has ended needs no more than to be forgotten.
    await admin()
      .call('signOut')
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
    const body = { current, password: next };
    const response = await adminAt({ url, headers }).fetch('changePassword', { body });
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: kept.user, cookie });
    return json ? JSON.stringify({ user: kept.user, changed: true }) : 'Your password is changed.';
  },
});

const show = command({
  name: 'session show',
  about: 'Show who you are, with role and projects',
  run: async ({ admin, json }) => showSession(await admin().call('showSession'), json),
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
