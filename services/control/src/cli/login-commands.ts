import { sessionInfo } from '@model-gateway/admin-api';
import { adminAt } from './admin.ts';
import { loginByBrowser, openBrowser } from './browser-login.ts';
import { details } from './cells.ts';
import { type Command, command, flag, text, type Values } from './command.ts';
import { CommandError, UsageError } from './exit-codes.ts';
import { keepLogin, readLogin } from './login-file.ts';
import { askPasswords, passwordOf } from './prompts.ts';

const options = {
  user: text('NAME', 'The user (admin), or the email address'),
  'password-file': text('FILE', 'A file with the password', { names: 'files' }),
  sso: flag('Sign in in the browser, by OpenID Connect'),
  port: text('PORT', 'The port of 127.0.0.1 to which the browser returns (any free one)'),
  'no-browser': flag('Print the URL without opening it'),
};

const login = command({
  name: 'login',
  about: 'Sign in, and keep the session for the other commands',
  examples: ['login', 'login --user ada', 'login --sso'],
  options,
  notes: [
    'Without --password-file it asks for the password, or reads it as a line of standard input.',
    'With --sso you sign in in a browser on this computer, by OpenID Connect. GATEWAY_URL must then be the URL of',
    'the gateway in browsers. It is the default where there is no other way to sign in.',
  ].join('\n'),
  async run({ values, target }) {
    const { url, loginFile } = target();
    const response = (await isByBrowser(values, url))
      ? await browserLogin(values, url)
      : await passwordLogin(values, url);
    const session = sessionInfo.parse(await response.json());
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: session.name, cookie });
    return { value: session, text: () => details(session) };
  },
});

type LoginValues = Values<typeof options>;

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
  examples: ['logout'],
  async run({ admin, target }) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new CommandError(`you are not signed in at ${url}`, 3);
    // A session that has ended needs no more than to be forgotten.
    await admin()
      .call('signOut')
      .catch(() => {});
    await keepLogin(loginFile, url, undefined);
    return { value: { user: kept.user, signedOut: true }, text: () => `${kept.user} is signed out.` };
  },
});

const password = command({
  name: 'password',
  about: 'Change your password',
  examples: ['password'],
  notes: 'It asks for the current and the new password, or reads a line of standard input for each.',
  async run({ target }) {
    const { url, loginFile } = target();
    const kept = readLogin(loginFile, url);
    if (!kept) throw new CommandError(`you are not signed in at ${url}: gateway login`, 3);
    const [current, next] = await askPasswords('Current password', 'New password');
    const headers = { cookie: kept.cookie, 'x-gateway-csrf': '1' };
    const body = { current, password: next };
    const response = await adminAt({ url, headers }).fetch('changePassword', { body });
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await keepLogin(loginFile, url, { user: kept.user, cookie });
    return { value: { user: kept.user, changed: true }, text: () => 'Your password is changed.' };
  },
});

export const loginCommands: readonly Command[] = [login, logout, password];
