import { PGlite } from '@electric-sql/pglite';
import { hashSecret } from '@model-gateway/access';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sessions } from '../database/people-tables.ts';
import { Passwords } from '../people/passwords.ts';
import { mostSessions } from '../people/sessions.ts';
import { mostAttempts } from '../people/sign-in-attempts.ts';
import type { Answer, TestControl } from '../testing/control.ts';
import {
  cookieOf,
  makePerson,
  type Person,
  personWith,
  send,
  signIn,
  testPassword,
} from '../testing/person.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
let ada: Person;
/** Each test asks from another address, since attempts of an address are limited. */
let address = 0;
const from = () => ({ 'x-forwarded-for': `192.0.2.${address}` });
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() }, { proxies: ['127.0.0.1'] });
  ada = await makePerson(control, 'ada', 'admin');
});
afterAll(() => stage.clear());

const wrong = {
  status: 401,
  message: 'The user or the password is wrong.',
  code: 'incorrect_credentials',
  param: null,
};

describe('signing in', () => {
  test('gives a session of the user, in a cookie that scripts cannot read', async () => {
    address++;
    const answer = await signIn(control, 'ada', testPassword, from());
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(answer.body).toEqual({
      ...{ kind: 'user', name: 'ada', role: 'admin', projects: [] },
      expiresAt: expect.any(String),
    });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^gateway-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=/);
    const person = personWith(control, 'ada', testPassword, cookieOf(answer));
    expect((await person.api('GET', '/session')).body).toEqual(answer.body);
    expect((await person.api('GET', '/tokens')).status).toBe(200);
  });

  test('over https gives a cookie that no other host can set', async () => {
    address++;
    const secure = { ...from(), 'x-forwarded-proto': 'https' };
    const answer = await signIn(control, 'ada', testPassword, secure);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-gateway-session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; /);
    const plain = cookieOf(answer).replace('__Host-', '');
    expect((await send(control, 'GET', '/session', undefined, { ...secure, cookie: plain })).status).toBe(
      401,
    );
    const sent = await send(control, 'GET', '/session', undefined, { ...secure, cookie: cookieOf(answer) });
    expect(sent.status).toBe(200);
  });

  test('works by email address, in any case', async () => {
    address++;
    await control.api('PATCH', '/users/ada/login', { email: 'Ada@Example.com' });
    expect((await signIn(control, 'ada@example.COM', testPassword, from())).status).toBe(201);
  });

  test('says the same of an unknown user, a wrong password, no password and a disabled login, and always computes a hash', async () => {
    address++;
    await makePerson(control, 'disabled');
    await control.api('PATCH', '/users/disabled/login', { disabled: true });
    await control.api('PUT', '/users/without', {});
    const matches = vi.spyOn(Passwords.prototype, 'matches');
    for (const user of ['ada', 'unknown', 'disabled', 'without']) {
      const answer = await signIn(control, user, user === 'disabled' ? testPassword : 'wrong', from());
      expect(refusalOf(answer)).toEqual(wrong);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect(matches).toHaveBeenCalledTimes(4);
    matches.mockRestore();
  });
});

describe('an attack by', () => {
  test('session fixation: the session before the sign-in is not the one after it, and it ends', async () => {
    address++;
    const planted = cookieOf(await signIn(control, 'ada', testPassword, from()));
    const answer = await signIn(control, 'ada', testPassword, { ...from(), cookie: planted });
    expect(cookieOf(answer)).not.toBe(planted);
    expect((await send(control, 'GET', '/session', undefined, { cookie: planted })).status).toBe(401);
    const own = 'gateway-session=chosen-by-the-attacker-0123456789012345678';
    const made = cookieOf(await signIn(control, 'ada', testPassword, { ...from(), cookie: own }));
    expect(made).not.toBe(own);
    expect((await send(control, 'GET', '/session', undefined, { cookie: own })).status).toBe(401);
  });

  test.each<[string, Record<string, string>, string]>([
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }, 'cross_site_request'],
    ['a page of a sibling domain', { 'sec-fetch-site': 'same-site' }, 'cross_site_request'],
    ['a page of another origin', { origin: 'https://evil.example' }, 'cross_site_request'],
    ['a page without an origin', { origin: 'null' }, 'cross_site_request'],
    ['a page of another port', { origin: 'http://127.0.0.1:1' }, 'cross_site_request'],
    ['an old browser', { 'x-gateway-csrf': '' }, 'csrf_header_required'],
  ])('cross-site request forgery is refused: %s', async (_name, headers, code) => {
    const before = await control.tokens();
    const answer = await ada.api('POST', '/tokens', { name: 'forged' }, headers);
    expect(refusalOf(answer)).toMatchObject({ status: 403, code });
    expect((await ada.api('DELETE', '/session', undefined, headers)).status).toBe(403);
    expect(await control.tokens()).toEqual(before);
    expect((await ada.api('GET', '/session')).status).toBe(200);
  });

  test("cross-site sign-in, into the attacker's own user, is refused", async () => {
    address++;
    const headers = { ...from(), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await signIn(control, 'ada', testPassword, headers);
    expect(refusalOf(answer)).toMatchObject({ status: 403, code: 'cross_site_request' });
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test("the gateway's own page may do what a page of another origin may not", async () => {
    const headers = { origin: control.url, 'sec-fetch-site': 'same-origin' };
    expect((await ada.api('POST', '/tokens', { name: 'own page' }, headers)).status).toBe(201);
  });

  test('brute force is stopped for a user, whether or not there is one, also with the right password', async () => {
    await makePerson(control, 'victim');
    for (const user of ['victim', 'nobody-at-all']) {
      const answers: Answer[] = [];
      for (let n = 0; n < mostAttempts.user + 1; n++) {
        address++;
        answers.push(await signIn(control, user, 'wrong', from()));
      }
      expect(answers.map(({ status }) => status)).toEqual([...Array(mostAttempts.user).fill(401), 429]);
      address++;
      const last = await signIn(control, user.toUpperCase(), testPassword, from());
      expect(refusalOf(last)).toMatchObject({ status: 429, code: 'too_many_attempts' });
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(600);
    }
  });

  test('brute force by the name and the email address of one user is stopped as by one of them', async () => {
    await makePerson(control, 'two-names');
    await control.api('PATCH', '/users/two-names/login', { email: 'two@example.com' });
    const statuses: number[] = [];
    for (let n = 0; n < mostAttempts.user + 1; n++) {
      address++;
      const user = n % 2 === 0 ? 'two-names' : 'TWO@example.com';
      statuses.push((await signIn(control, user, 'wrong', from())).status);
    }
    expect(statuses).toEqual([...Array(mostAttempts.user).fill(401), 429]);
  });

  test('brute force with attempts at once is stopped, too', async () => {
    await makePerson(control, 'crowded');
    const attempts = Array.from({ length: mostAttempts.user * 2 }, () => {
      address++;
      return signIn(control, 'crowded', 'wrong', from());
    });
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter(status => status === 401)).toHaveLength(mostAttempts.user);
  });

  test('one address with many users is stopped', async () => {
    address++;
    const headers = from();
    const statuses: number[] = [];
    for (let n = 0; n < mostAttempts.address + 1; n++)
      statuses.push((await signIn(control, `user-${n}`, 'wrong', headers)).status);
    expect(statuses).toEqual([...Array(mostAttempts.address).fill(401), 429]);
    address++;
    expect((await signIn(control, 'user-0', 'wrong', from())).status).toBe(401);
  });

  test('one address that is stopped does not keep a user from signing in elsewhere', async () => {
    address++;
    const headers = from();
    await makePerson(control, 'bystander');
    for (let n = 0; n < mostAttempts.address; n++) await signIn(control, `other-${n}`, 'wrong', headers);
    for (let n = 0; n < mostAttempts.user + 1; n++)
      expect((await signIn(control, 'bystander', 'wrong', headers)).status).toBe(429);
    address++;
    expect((await signIn(control, 'bystander', testPassword, from())).status).toBe(201);
  });

  test('one address of many users who sign in is not', async () => {
    address++;
    const headers = from();
    for (let n = 0; n < mostAttempts.address + 5; n++)
      expect((await signIn(control, 'ada', testPassword, headers)).status).toBe(201);
  });

  test('a stolen cookie ends with the sign-out, a new password, a disabled login and the user', async () => {
    const begin = async () => {
      address++;
      return personWith(
        control,
        'eve',
        testPassword,
        cookieOf(await signIn(control, 'eve', testPassword, from())),
      );
    };
    await makePerson(control, 'eve');
    const endings: (() => Promise<unknown>)[] = [
      async () =>
        (await begin()).api('PUT', '/session/password', { current: testPassword, password: testPassword }),
      () => control.api('POST', '/users/eve/password', { password: testPassword }),
      () => control.api('PATCH', '/users/eve/login', { disabled: true }),
    ];
    const left = await begin();
    expect((await left.api('DELETE', '/session')).status).toBe(204);
    const after = await left.api('GET', '/session');
    expect(refusalOf(after)).toMatchObject({ status: 401, code: 'session_ended' });
    expect(after.headers.getSetCookie()[0]).toMatch(/^gateway-session=; .*Max-Age=0/);
    let stolenBeforeDisabled: Person | undefined;
    for (const end of endings) {
      const stolen = await begin();
      stolenBeforeDisabled = stolen;
      expect((await stolen.api('GET', '/session')).status).toBe(200);
      await end();
      expect((await stolen.api('GET', '/session')).status).toBe(401);
    }
    await control.api('PATCH', '/users/eve/login', { disabled: false });
    expect((await stolenBeforeDisabled?.api('GET', '/session'))?.status).toBe(401);
    const last = await begin();
    await control.api('DELETE', '/users/eve');
    expect((await last.api('GET', '/session')).status).toBe(401);
    // A user who is named again is another one.
    await control.api('PUT', '/users/eve', {});
    expect((await last.api('GET', '/session')).status).toBe(401);
    address++;
    expect((await signIn(control, 'eve', testPassword, from())).status).toBe(401);
  });
});

describe('passwords', () => {
  test('are changed with the current one, which ends the other sessions', async () => {
    const person = await makePerson(control, 'bob');
    address++;
    const other = cookieOf(await signIn(control, 'bob', testPassword, from()));
    const change = (current: string, password: string) =>
      person.api('PUT', '/session/password', { current, password });
    expect(refusalOf(await change('wrong', 'another long password'))).toMatchObject({
      status: 400,
      param: 'current',
    });
    expect(refusalOf(await change(testPassword, 'short'))).toMatchObject({ status: 400, param: 'password' });
    const changed = await change(testPassword, 'another long password');
    expect(changed.status).toBe(204);
    expect((await send(control, 'GET', '/session', undefined, { cookie: other })).status).toBe(401);
    expect((await person.api('GET', '/session')).status).toBe(401);
    expect((await send(control, 'GET', '/session', undefined, { cookie: cookieOf(changed) })).status).toBe(
      200,
    );
    address++;
    expect((await signIn(control, 'bob', testPassword, from())).status).toBe(401);
    expect((await signIn(control, 'bob', 'another long password', from())).status).toBe(201);
  });

  test('are made for an admin who resets one, and shown once', async () => {
    await control.api('PUT', '/users/carl', {});
    const { body } = await control.api('POST', '/users/carl/password', {});
    const { password } = body as { password: string };
    expect(password).toMatch(/^[\w-]{20}$/);
    address++;
    expect((await signIn(control, 'carl', password, from())).status).toBe(201);
    expect(JSON.stringify((await control.api('GET', '/users/carl')).body)).not.toContain(password);
    expect(
      (await control.api('POST', '/users/carl/password', { password: 'a given password' })).body,
    ).toEqual({
      password: null,
    });
  });

  test('of the admin token and of users who do not exist cannot be changed', async () => {
    const change = { current: 'x', password: testPassword };
    expect((await control.api('PUT', '/session/password', change)).status).toBe(403);
    expect((await control.api('POST', '/users/nobody/password', {})).status).toBe(404);
    expect((await control.api('PATCH', '/users/nobody/login', {})).status).toBe(404);
  });
});

test('an email address signs in one user alone', async () => {
  for (const name of ['one', 'two', 'three@example.com'])
    await control.api('PUT', `/users/${encodeURIComponent(name)}`, {});
  await control.api('PATCH', '/users/one/login', { email: 'one@example.com' });
  for (const email of ['ONE@example.com', 'Three@example.com'])
    expect(refusalOf(await control.api('PATCH', '/users/two/login', { email }))).toMatchObject({
      status: 400,
      code: 'email_taken',
    });
  expect(refusalOf(await control.api('PATCH', '/users/two/login', { email: 'two' }))).toMatchObject({
    ...{ status: 400, param: 'email', message: 'email: must be an email address.' },
  });
});

test.each([
  ['POST', '/session', { user: 'a\0b', password: 'x' }],
  ['POST', '/session', { user: 'x'.repeat(201), password: 'x' }],
  ['POST', '/session', { user: 'ada', password: 'x'.repeat(257) }],
  ['POST', '/session', { user: 'ada' }],
  ['POST', '/session', 'ada'],
  ['GET', '/audit?subject=%00', undefined],
  ['GET', '/usage?token=a&token=%00', undefined],
  ['PUT', '/projects/a/members/%00', { role: 'viewer' }],
  ['GET', '/session/oidc?returnTo=%00', undefined],
])('%s %s with %j is refused, not an error of the gateway', async (method, path, body) => {
  expect((await control.api(method, path, body)).status).toBe(400);
});

test('a session ends after its idle time, which each request resets, and after its lifetime', async () => {
  const times = { GATEWAY_SESSION_IDLE: '10m', GATEWAY_SESSION_LIFETIME: '1h' };
  const env = { GATEWAY_DATA: await stage.folder(), ...times };
  let other = await stage.control(env);
  await makePerson(other, 'ada');
  const begin = async () => ({ cookie: cookieOf(await signIn(other, 'ada', testPassword)) });
  const [used, idle, old] = [await begin(), await begin(), await begin()];
  const minutes = (number: number) => sql`make_interval(mins => ${number})`;
  /** Makes the last request of each session that long ago, and each end that much earlier. */
  const pass = async (...moved: [session: { cookie: string }, sinceSeen: number, sinceBegun: number][]) => {
    other = await stage.startChanged(other, env, async db => {
      for (const [{ cookie }, sinceSeen, sinceBegun] of moved)
        await db
          .update(sessions)
          .set({
            seenAt: sql`${sessions.seenAt} - ${minutes(sinceSeen)}`,
            endsAt: sql`${sessions.endsAt} - ${minutes(sinceBegun)}`,
          })
          .where(eq(sessions.hash, hashSecret(cookie.split('=')[1] as string)));
    });
  };
  const statusOf = async (headers: { cookie: string }) =>
    (await send(other, 'GET', '/session', undefined, headers)).status;
  await pass([used, 9, 9], [idle, 11, 11], [old, 1, 61]);
  expect([await statusOf(used), await statusOf(idle), await statusOf(old)]).toEqual([200, 401, 401]);
  await pass([used, 9, 9]);
  expect(await statusOf(used)).toBe(200);
});

test('a user has at most 100 sessions: the oldest one ends', async () => {
  const first = await makePerson(control, 'busy');
  address++;
  const second = cookieOf(await signIn(control, 'busy', testPassword, from()));
  for (let n = 0; n < mostSessions - 1; n++) await signIn(control, 'busy', testPassword, from());
  expect((await first.api('GET', '/session')).status).toBe(401);
  expect((await send(control, 'GET', '/session', undefined, { cookie: second })).status).toBe(200);
});

test('the caller sees itself, whoever it is', async () => {
  expect((await control.api('GET', '/session')).body).toEqual({
    ...{ kind: 'admin-token', name: 'admin token', role: 'admin', projects: [], expiresAt: null },
  });
  expect((await control.api('DELETE', '/session')).status).toBe(204);
  expect((await control.api('GET', '/session')).status).toBe(200);
});

test('the database holds no password and no secret of a session', async () => {
  const folder = await stage.folder();
  const other = await stage.control({ GATEWAY_DATA: folder });
  const person = await makePerson(other, 'ada');
  await other.stop();
  const client = await PGlite.create(`${folder}/control`);
  const { rows: logins } = await client.query<{ password: string }>('select * from logins');
  const { rows: begun } = await client.query('select * from sessions');
  await client.close();
  expect(logins.every(({ password }) => /^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$/.test(password))).toBe(true);
  expect(begun).not.toEqual([]);
  const stored = JSON.stringify([logins, begun]);
  expect(stored).not.toContain(testPassword);
  expect(stored).not.toContain(person.cookie.split('=')[1]);
});
