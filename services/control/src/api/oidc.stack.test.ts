import type { AuditEntry, UserInfo } from '@model-gateway/admin-api';
import { freePort } from '@model-gateway/bus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mostAttempts } from '../people/sign-in-attempts.ts';
import { Browser, type Page } from '../testing/browser.ts';
import type { TestControl } from '../testing/control.ts';
import { startProvider, type TestProvider } from '../testing/openid-provider.ts';
import { signIn as passwordSignIn, send, testPassword } from '../testing/person.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let provider: TestProvider;
/** Makes no users, and has no roles of groups. */
let strict: TestControl;
let control: TestControl;
const client = { id: 'gateway', secret: 'secret-of-the-client' };

const roles = {
  ops: 'admin',
  leads: ['lab:manager', 'shared:viewer'],
  all: 'lab:viewer',
  ghosts: 'nowhere:viewer',
};

beforeAll(async () => {
  stage = await Stage.set();
  const [port, strictPort] = [await freePort(), await freePort()];
  const publicUrl = `http://127.0.0.1:${port}`;
  const strictUrl = `http://127.0.0.1:${strictPort}`;
  const redirectUrls = [publicUrl, strictUrl].map(url => `${url}/api/v1/session/oidc/callback`);
  provider = await startProvider({ ...client, redirectUrls });
  const settings = {
    GATEWAY_OIDC_ISSUER: provider.issuer,
    GATEWAY_OIDC_CLIENT_ID: client.id,
    GATEWAY_OIDC_CLIENT_SECRET: client.secret,
  };
  control = await stage.control(
    {
      ...{ ...settings, GATEWAY_DATA: await stage.folder(), GATEWAY_PUBLIC_URL: publicUrl },
      ...{ GATEWAY_OIDC_ROLES: JSON.stringify(roles), GATEWAY_OIDC_NEW_USERS: 'with-role' },
    },
    { port },
  );
  strict = await stage.control(
    { ...settings, GATEWAY_DATA: await stage.folder(), GATEWAY_PUBLIC_URL: `${strictUrl}/` },
    { port: strictPort },
  );
  for (const project of ['lab', 'shared', 'other']) await control.api('PUT', `/projects/${project}`, {});
});
afterAll(async () => {
  await stage?.clear();
  await provider?.stop();
});

const startUrl = (at = control) => `${at.url}/api/v1/session/oidc`;
const isConsole = (url: string) => new URL(url).pathname.startsWith('/console');
const isCallback = (url: string) => url.includes('/oidc/callback');

/** Signs in at the provider as a user, in the pages that the provider shows, and stops at `stopAt`. */
async function signInAt(
  browser: Browser,
  id: string,
  stopAt: (url: string) => boolean,
  at = control,
): Promise<Page> {
  const login = await browser.go(startUrl(at), { stopAt });
  if (stopAt(login.url)) return login;
  const consent = await browser.go(login.url, {
    form: { prompt: 'login', login: id, password: 'any' },
    stopAt,
  });
  if (stopAt(consent.url) || !consent.url.includes('/interaction/')) return consent;
  return browser.go(consent.url, { form: { prompt: 'consent' }, stopAt });
}

/** Signs in, and returns the page after it: that of the console, or an error. */
const signIn = (browser: Browser, id: string, at = control) => signInAt(browser, id, isConsole, at);

async function session(browser: Browser, at = control) {
  const cookie = `gateway-session=${browser.cookies.get('gateway-session')}`;
  return send(at, 'GET', '/session', undefined, { cookie });
}

const user = async (name: string, at = control) => (await at.api('GET', `/users/${name}`)).body as UserInfo;

describe('a browser', () => {
  test('signs in at the provider, has the roles of its groups, and signs out', async () => {
    provider.users.set('u-ann', {
      preferred_username: 'ann',
      email: 'ann@example.com',
      email_verified: true,
      groups: ['leads', 'all', 'unknown'],
    });
    const browser = new Browser();
    const page = await signIn(browser, 'u-ann');
    expect(page.url).toBe(`${control.url}/console`);
    const found = await session(browser);
    expect(found.body).toMatchObject({
      ...{ kind: 'user', name: 'ann', role: null },
      projects: [
        { project: 'lab', role: 'manager' },
        { project: 'shared', role: 'viewer' },
      ],
    });
    expect((await user('ann')).login).toMatchObject({
      email: 'ann@example.com',
      password: false,
      oidc: true,
    });
    expect(browser.cookies.has('gateway-oidc')).toBe(false);
    const cookie = `gateway-session=${browser.cookies.get('gateway-session')}`;
    expect(
      (await send(control, 'DELETE', '/session', undefined, { cookie, 'x-gateway-csrf': '1' })).status,
    ).toBe(204);
    expect((await session(browser)).status).toBe(401);
  });

  test('has other roles at the next sign-in, and keeps those that no group gives', async () => {
    provider.users.set('u-bob', { preferred_username: 'bob', groups: ['leads', 'ops'] });
    await signIn(new Browser(), 'u-bob');
    await control.api('PUT', '/projects/other/members/bob', { role: 'viewer' });
    expect((await user('bob')).login?.role).toBe('admin');
    provider.users.set('u-bob', { preferred_username: 'robert', groups: ['all'] });
    await signIn(new Browser(), 'u-bob');
    expect(await user('bob')).toMatchObject({
      login: { role: null },
      projects: [
        { project: 'lab', role: 'viewer' },
        { project: 'other', role: 'viewer' },
      ],
    });
    const { data } = (await control.api('GET', '/audit?subject=bob&actorKind=setting')).body as {
      data: AuditEntry[];
    };
    expect(data.map(({ action, project, before, after }) => [action, project, before, after])).toEqual([
      ['removeMember', 'shared', { role: 'viewer' }, null],
      ['setMember', 'lab', { role: 'manager' }, { role: 'viewer' }],
      ['changeLogin', null, { role: 'admin' }, { role: null }],
      ['setMember', 'shared', null, { role: 'viewer' }],
      ['setMember', 'lab', null, { role: 'manager' }],
      ['changeLogin', null, { role: null }, { role: 'admin' }],
    ]);
    expect(data.every(({ address }) => address === '127.0.0.1')).toBe(true);
  });

  test('is the user whose login has the verified email address', async () => {
    await strict.api('PUT', '/users/carl', {});
    await strict.api('PATCH', '/users/carl/login', { email: 'Carl@example.com' });
    provider.users.set('u-carl', {
      preferred_username: 'someone',
      email: 'carl@example.com',
      email_verified: true,
    });
    const browser = new Browser();
    expect((await signIn(browser, 'u-carl', strict)).url).toBe(`${strict.url}/console`);
    expect((await session(browser, strict)).body).toMatchObject({ name: 'carl' });
    // From then on the provider's id counts, not the address.
    provider.users.set('u-carl', { email: 'new@example.com', email_verified: true });
    const later = new Browser();
    await signIn(later, 'u-carl', strict);
    expect((await session(later, strict)).body).toMatchObject({ name: 'carl' });
    const other = { email: 'carl@example.com', email_verified: true };
    provider.users.set('u-other', other);
    expect((await signIn(new Browser(), 'u-other', strict)).status).toBe(403);
    // Unlinked, the login is that of the address again.
    expect((await strict.api('PATCH', '/users/carl/login', { oidc: null })).body).toMatchObject({
      login: { oidc: false, email: 'Carl@example.com' },
    });
    expect((await session(browser, strict)).status).toBe(401);
    expect((await signIn(new Browser(), 'u-other', strict)).url).toBe(`${strict.url}/console`);
  });

  test.each([
    ['without another name', {}, 'u-unverified-1'],
    ['that is also its name', { preferred_username: 'Boss@Example.com' }, 'u-unverified-2'],
    ['beside a name of blanks', { preferred_username: ' ' }, 'u-unverified-3'],
  ])('has no name that is an unverified email address: %s', async (_how, named, id) => {
    provider.users.set(id, {
      ...{ email: 'boss@example.com', email_verified: false, groups: ['all'] },
      ...named,
    });
    const browser = new Browser();
    await signIn(browser, id);
    expect((await session(browser)).body).toMatchObject({ name: id });
  });

  test('has the name that its provider gives, without blanks around it', async () => {
    provider.users.set('u-blank', { preferred_username: ' kay ', groups: ['all'] });
    const browser = new Browser();
    await signIn(browser, 'u-blank');
    expect((await session(browser)).body).toMatchObject({ name: 'kay' });
  });

  test('goes to the page of the console that it came from, and to no other site', async () => {
    provider.users.set('u-dora', { preferred_username: 'dora', groups: ['all'] });
    const browser = new Browser();
    await signIn(browser, 'u-dora');
    const again = await browser.go(`${startUrl()}?returnTo=/console/playground?x=1`, {
      stopAt: isConsole,
    });
    expect(again.url).toBe(`${control.url}/console/playground?x=1`);
    for (const returnTo of [
      'https://evil.example',
      '//evil.example',
      '/console.evil.example',
      '/api/v1/tokens',
      '/console/\\evil',
    ])
      expect((await new Browser().go(`${startUrl()}?returnTo=${encodeURIComponent(returnTo)}`)).status).toBe(
        400,
      );
  });
});

describe('a sign-in is refused', () => {
  const codeOf = ({ status, text }: Page) => [status, JSON.parse(text).code];
  const unlisted = () =>
    provider.users.set('u-eve', {
      preferred_username: 'eve',
      email: 'eve@example.com',
      email_verified: true,
      groups: ['unknown'],
    });

  test('for a user whom the gateway does not know, where none is made', async () => {
    unlisted();
    expect(codeOf(await signIn(new Browser(), 'u-eve', strict))).toEqual([403, 'insufficient_permissions']);
    expect((await strict.api('GET', '/users/eve')).status).toBe(404);
  });

  test('for a user without a role of a group, where only those are made', async () => {
    unlisted();
    const browser = new Browser();
    expect((await signIn(browser, 'u-eve')).status).toBe(403);
    expect(browser.cookies.has('gateway-session')).toBe(false);
    expect((await control.api('GET', '/users/eve')).status).toBe(404);
  });

  test('for a name that a user has already, who may own tokens', async () => {
    await control.issue({ name: 'one', owner: 'owner-of-tokens' });
    provider.users.set('u-fake', { preferred_username: 'owner-of-tokens', groups: ['all'] });
    expect((await signIn(new Browser(), 'u-fake')).status).toBe(403);
  });

  test.each([
    ['in another case', 'Owner-Of-Names'],
    ['in another width', '\uff4fwner-of-names'],
    ['with blanks around it', '  owner-of-names '],
    ['with a character that is not seen', 'owner-of\u200b-names'],
    ['with a filler', 'owner-of\u3164-names'],
    ['with a combining joiner', 'owner-of\u034f-names'],
  ])('for the name of another user %s', async (_how, name) => {
    await control.issue({ name: 'one', owner: 'owner-of-names' });
    provider.users.set('u-alike', { preferred_username: name, groups: ['all'] });
    expect((await signIn(new Browser(), 'u-alike')).status).toBe(403);
  });

  test("for a name that is another user's email address, which still signs in that user", async () => {
    await control.api('PUT', '/users/lea', {});
    await control.api('PATCH', '/users/lea/login', { email: 'lea@example.com' });
    await control.api('POST', '/users/lea/password', { password: testPassword });
    provider.users.set('u-like-lea', { preferred_username: 'lea@example.com', groups: ['all'] });
    expect((await signIn(new Browser(), 'u-like-lea')).status).toBe(403);
    await control.api('PUT', '/users/lea@example.com', {});
    await control.api('POST', '/users/lea@example.com/password', { password: 'another password' });
    expect((await passwordSignIn(control, 'lea@example.com', testPassword)).body).toMatchObject({
      name: 'lea',
    });
  });

  test('for an email address of the ID token that only the userinfo endpoint says is verified', async () => {
    await strict.api('PUT', '/users/mia', {});
    await strict.api('PATCH', '/users/mia/login', { email: 'mia@example.com' });
    provider.users.set('u-mia', { email: 'mia@other.example', email_verified: true });
    provider.inIdToken.set('u-mia', { email: 'mia@example.com' });
    expect((await signIn(new Browser(), 'u-mia', strict)).status).toBe(403);
  });

  test('for an email address that the provider has not verified', async () => {
    await strict.api('PUT', '/users/gina', {});
    await strict.api('PATCH', '/users/gina/login', { email: 'gina@example.com' });
    provider.users.set('u-gina', { email: 'gina@example.com', email_verified: false });
    expect((await signIn(new Browser(), 'u-gina', strict)).status).toBe(403);
  });

  test('for a disabled login', async () => {
    provider.users.set('u-hal', { preferred_username: 'hal', groups: ['all'] });
    await signIn(new Browser(), 'u-hal');
    await control.api('PATCH', '/users/hal/login', { disabled: true });
    expect((await signIn(new Browser(), 'u-hal')).status).toBe(403);
  });

  test('in a browser that has not started it, and for an answer that is used twice', async () => {
    provider.users.set('u-ida', { preferred_username: 'ida', groups: ['all'] });
    const browser = new Browser();
    const answer = await signInAt(browser, 'u-ida', isCallback);
    // The attacker's answer in the victim's browser.
    expect(codeOf(await new Browser().go(answer.url))).toEqual([401, 'sign_in_failed']);
    const other = new Browser();
    await other.go(startUrl(), { stopAt: url => url.startsWith(provider.issuer) });
    expect(codeOf(await other.go(answer.url))).toEqual([401, 'sign_in_failed']);
    expect(other.cookies.has('gateway-session')).toBe(false);
    expect((await browser.go(answer.url, { stopAt: isConsole })).url).toBe(`${control.url}/console`);
    expect(codeOf(await browser.go(answer.url))).toEqual([401, 'sign_in_failed']);
  });

  test('without an attempt of the address, if the browser has not started it', async () => {
    provider.users.set('u-kim', { preferred_username: 'kim', groups: ['all'] });
    for (let n = 0; n <= mostAttempts.address; n++)
      expect(codeOf(await new Browser().go(`${startUrl()}/callback?code=x`))).toEqual([
        401,
        'sign_in_failed',
      ]);
    expect((await signIn(new Browser(), 'u-kim')).url).toBe(`${control.url}/console`);
  });

  test.each<[string, (url: URL) => void]>([
    ['another state', url => url.searchParams.set('state', 'other')],
    ['no state', url => url.searchParams.delete('state')],
    ['another code', url => url.searchParams.set('code', 'other')],
    ['no code', url => url.searchParams.delete('code')],
    ['another issuer', url => url.searchParams.set('iss', 'https://evil.example')],
  ])('for an answer with %s', async (_name, change) => {
    provider.users.set('u-jo', { preferred_username: 'jo', groups: ['all'] });
    const browser = new Browser();
    const url = new URL((await signInAt(browser, 'u-jo', isCallback)).url);
    change(url);
    expect(codeOf(await browser.go(url.href))).toEqual([401, 'sign_in_failed']);
    expect(browser.cookies.has('gateway-session')).toBe(false);
  });

  test('with a changed cookie, such as another verifier', async () => {
    const browser = new Browser();
    const { url } = await signInAt(browser, 'u-jo', isCallback);
    const cookie = browser.cookies.get('gateway-oidc') as string;
    browser.cookies.set('gateway-oidc', `${cookie.slice(0, -3)}AAA`);
    expect(codeOf(await browser.go(url))).toEqual([401, 'sign_in_failed']);
  });

  test('if the user refuses it at the provider', async () => {
    const browser = new Browser();
    const { url } = await signInAt(browser, 'u-jo', isCallback);
    const refused = new URL(url);
    refused.searchParams.delete('code');
    refused.searchParams.set('error', 'access_denied');
    expect(codeOf(await browser.go(refused.href))).toEqual([401, 'sign_in_refused']);
  });
});

test('the request to the provider has state, nonce and an S256 challenge, and the browser sees none of the secrets', async () => {
  const browser = new Browser();
  const { url } = await browser.go(startUrl(), { stopAt: to => to.startsWith(provider.issuer) });
  const query = Object.fromEntries(new URL(url).searchParams);
  expect(query).toMatchObject({
    ...{
      response_type: 'code',
      client_id: client.id,
      code_challenge_method: 'S256',
      scope: 'openid profile email',
    },
    ...{ state: expect.stringMatching(/.{20}/), nonce: expect.stringMatching(/.{20}/) },
    redirect_uri: `${control.url}/api/v1/session/oidc/callback`,
  });
  expect(browser.cookies.get('gateway-oidc')).toMatch(/^v2\.[\w-]+$/);
  expect(browser.cookies.get('gateway-oidc')).not.toContain(query.state);
});

test('without a provider there is no sign-in by it, and the ways to sign in say so', async () => {
  const other = await stage.control({ GATEWAY_DATA: await stage.folder() });
  expect((await send(other, 'GET', '/session/ways', undefined, {})).body).toEqual({
    password: true,
    oidc: false,
  });
  expect((await send(control, 'GET', '/session/ways', undefined, {})).body).toEqual({
    password: true,
    oidc: true,
  });
  const { status, text } = await new Browser().go(startUrl(other));
  expect([status, JSON.parse(text).code]).toEqual([404, 'oidc_not_configured']);
});

test('a provider that cannot be reached is a 502, and is asked again', async () => {
  const env = {
    ...{ GATEWAY_OIDC_ISSUER: 'http://127.0.0.1:1', GATEWAY_OIDC_CLIENT_ID: 'x' },
    ...{ GATEWAY_PUBLIC_URL: 'http://127.0.0.1:2', GATEWAY_DATA: await stage.folder() },
  };
  const other = await stage.control(env);
  for (let n = 0; n < 2; n++) expect((await new Browser().go(startUrl(other))).status).toBe(502);
});

test.each<[string, Record<string, string>, string]>([
  ['no client id', { GATEWAY_OIDC_CLIENT_ID: '' }, 'GATEWAY_OIDC_ISSUER: needs GATEWAY_OIDC_CLIENT_ID'],
  ['no public URL', { GATEWAY_PUBLIC_URL: '' }, 'GATEWAY_OIDC_ISSUER: needs GATEWAY_OIDC_CLIENT_ID'],
  ['an issuer without TLS', { GATEWAY_OIDC_ISSUER: 'http://id.example' }, 'must be an https URL'],
  [
    'the issuer of every tenant of Entra ID',
    { GATEWAY_OIDC_ISSUER: 'https://login.microsoftonline.com/common/v2.0' },
    'is that of every tenant',
  ],
  ['roles that are not JSON', { GATEWAY_OIDC_ROLES: 'ops=admin' }, 'GATEWAY_OIDC_ROLES: is not JSON'],
  [
    'an unknown role',
    { GATEWAY_OIDC_ROLES: '{"ops":"lab:owner"}' },
    "GATEWAY_OIDC_ROLES: 'lab:owner' is neither admin",
  ],
])('control does not start with %s', async (_name, more, message) => {
  const env = {
    ...{ GATEWAY_OIDC_ISSUER: 'https://id.example', GATEWAY_OIDC_CLIENT_ID: 'x' },
    ...{ GATEWAY_PUBLIC_URL: 'https://gateway.example', GATEWAY_DATA: await stage.folder(), ...more },
  };
  await expect(stage.control(env)).rejects.toThrow(message);
});
