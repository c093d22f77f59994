import { writeFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import {
  type AuditEntry,
  auditPage,
  type EndpointName,
  endpoints,
  type IssuedAccount,
} from '@model-gateway/admin-api';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import { type TestControl, until } from '../testing/control.ts';
import { newLogged } from '../testing/logged-request.ts';
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
let clock: ManualClock;
let control: TestControl;
let ann: Person;
let path: string;
let folder: string;
beforeAll(async () => {
  stage = await Stage.set();
  const env = await stage.withCatalog(catalogText('fast', secretProvider));
  path = env.GATEWAY_CONFIG;
  folder = env.GATEWAY_DATA;
  clock = new ManualClock(Date.now());
  control = await stage.control(env, { proxies: ['127.0.0.1'], clock });
  // From now on control knows that there is no worker to test a provider.
  await clock.advance(2_000);
  ann = await makePerson(control, 'ann', 'admin');
});
afterAll(() => stage.clear());

const secretProvider = `
projects:
  - { name: filed, weight: 2 }
  - { name: adopted, weight: 4 }
`;
/** Acts that tests of their own see in the log: of requests in flight, and a sign-in (`signIn`) in two steps. */
const elsewhere = new Set<string>(['endRunning', 'confirmCommandSignIn', 'finishCommandSignIn']);
const from = { 'x-forwarded-for': '192.0.2.7' };
const acts = async (query = '') =>
  ((await control.api('GET', `/audit?limit=1000${query}`)).body as { data: AuditEntry[] }).data;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Does something by each endpoint that changes anything, and returns the secrets that it saw. */
async function changeEverything(): Promise<string[]> {
  const ask = async <Body>(method: string, path: string, body?: unknown) =>
    (await ann.api(method, path, body, from)).body as Body;
  const token = await ask<{ id: string; token: string }>('POST', '/tokens', { name: 'one', project: 'lab' });
  await ask('PATCH', `/tokens/${token.id}`, { name: 'two' });
  const rotated = await ask<{ token: string }>('POST', `/tokens/${token.id}/rotate`, {});
  await ask('PUT', '/projects/short', { weight: 2 });
  await ask('PUT', '/projects/short', { weight: 3 });
  await ask('PUT', '/users/bob', {});
  await ask('PUT', '/projects/short/members/bob', { role: 'viewer' });
  await ask('DELETE', '/projects/short/members/bob');
  await ask('PATCH', '/users/bob/login', { email: 'bob@example.com' });
  const made = await ask<{ password: string }>('POST', '/users/bob/password', {});
  const bob = personWith(
    control,
    'bob',
    made.password,
    cookieOf(await signIn(control, 'bob', made.password, from)),
  );
  const changed = await bob.api(
    'PUT',
    '/session/password',
    { current: made.password, password: testPassword },
    from,
  );
  const again = personWith(control, 'bob', testPassword, cookieOf(changed));
  await again.api('DELETE', '/session', undefined, from);
  await ask('DELETE', '/users/bob/login');
  await ask('DELETE', '/users/bob');
  await ask('DELETE', '/projects/short');
  await ask('DELETE', `/tokens/${token.id}`);
  const account = await ask<IssuedAccount>('POST', '/accounts', {
    name: 'ci',
    role: 'admin',
    expiresAt: inDays(9),
  });
  const next = await ask<IssuedAccount>('POST', `/accounts/${account.id}/rotate`, { expiresAt: inDays(9) });
  await ask('DELETE', `/accounts/${account.id}`);
  await changeCatalog(ask);
  const logged = await newLogged(stage.bus, control, 'lab', clock);
  await ask('GET', `/requests/${logged}`);
  await ask('DELETE', `/requests/${logged}`);
  const cookies = [ann, bob, again].map(({ cookie }) => cookie.split('=')[1] as string);
  const secrets = [token.token, rotated.token, made.password, testPassword, account.token, next.token];
  return [...secrets, catalogSecret, ...cookies];
}

const catalogSecret = 'sk-of-a-provider';

async function changeCatalog(ask: (method: string, path: string, body?: unknown) => Promise<unknown>) {
  const provider = { kind: 'openai', apiKey: { value: catalogSecret }, headers: { 'x-key': catalogSecret } };
  await ask('PUT', '/providers/made', provider);
  await ask('PUT', '/models/made', { targets: [{ provider: 'made', model: 'one' }] });
  await ask('POST', '/providers/made/test', {});
  await ask('POST', '/models/made/test', {});
  await ask('DELETE', '/models/made');
  await ask('DELETE', '/providers/made');
  await ask('POST', '/catalog/adopt', { kind: 'project', name: 'adopted' });
  await ask('PUT', '/catalog', { providers: [{ name: 'applied', ...provider }], models: [] });
}

describe('the audit log', () => {
  test('has each act that changes anything or shows texts, with who, from where, what, before and after, and no secret', async () => {
    const before = (await acts())[0]?.id ?? 0;
    const secrets = await changeEverything();
    const found = (await acts()).filter(({ id }) => id > before).reverse();
    const writes = (Object.keys(endpoints) as EndpointName[]).filter(
      name => endpoints[name].method !== 'get' && !elsewhere.has(name),
    );
    expect([...new Set(found.map(({ action }) => action))].sort()).toEqual([...writes, 'showRequest'].sort());
    expect(found.every(({ address }) => address === '192.0.2.7')).toBe(true);
    for (const secret of secrets) expect(JSON.stringify(found)).not.toContain(secret);

    const [created, changed] = found;
    expect(created).toMatchObject({
      ...{
        actorKind: 'user',
        actor: 'ann',
        actorId: expect.any(String),
        action: 'createToken',
        project: 'lab',
      },
      ...{ subjectKind: 'token', subject: 'one', before: null, after: { name: 'one', owner: null } },
      requestId: expect.stringMatching(/^req_/),
      at: expect.any(String),
    });
    expect(changed).toMatchObject({
      ...{ action: 'changeToken', subjectId: created?.subjectId },
      ...{ before: { name: 'one' }, after: { name: 'two' } },
    });
    expect(found.filter(({ action }) => action === 'setProject')).toMatchObject([
      { subject: 'short', project: 'short', before: null, after: { weight: 2 } },
      { subject: 'short', project: 'short', before: { weight: 2 }, after: { weight: 3 } },
    ]);
    expect(found.find(({ action }) => action === 'changeLogin')).toMatchObject({
      ...{ subject: 'bob', before: null, after: { email: 'bob@example.com', role: null } },
    });
    expect(found.find(({ action }) => action === 'setMember')).toMatchObject({
      ...{ subjectKind: 'member', subject: 'bob', project: 'short', before: null, after: { role: 'viewer' } },
    });
    expect(found.find(({ action }) => action === 'signOut')).toMatchObject({
      actor: 'bob',
      subjectKind: 'session',
    });
  });

  test('names the admin token, service accounts, gateway.yaml and settings as those who act', async () => {
    await control.api('PUT', '/projects/lab', {});
    const { body } = await control.api('POST', '/accounts', {
      name: 'ci',
      role: 'admin',
      expiresAt: inDays(9),
    });
    const { token, id } = body as IssuedAccount;
    await control.api('PUT', '/projects/lab', {}, token);
    expect((await acts('&action=setProject')).slice(0, 2)).toMatchObject([
      { actorKind: 'account', actor: 'ci', actorId: id },
      { actorKind: 'admin-token', actor: 'admin token', actorId: null },
    ]);
    expect(await acts('&actorKind=setting')).toMatchObject([
      { action: 'createFirstAdmin', subject: 'admin' },
    ]);
    const filed = await acts('&actorKind=file&subject=filed');
    expect(filed).toMatchObject([
      {
        actor: path,
        action: 'applyFile',
        project: 'filed',
        before: null,
        after: { weight: 2 },
        address: null,
      },
    ]);
    const owned = secretProvider.replace('weight: 2', 'weight: 3').replace(/.*adopted.*\n/, '');
    writeFileSync(path, catalogText('fast', owned));
    await until(async () => (await acts('&actorKind=file&subject=filed')).length === 2);
    const [changed] = await acts('&actorKind=file');
    expect(changed).toMatchObject({ before: { weight: 2 }, after: { weight: 3 } });
  });

  test('has the credentials of providers as (secret)', async () => {
    const found = await acts('&subjectKind=provider&actorKind=file');
    expect(found.map(({ subject, before, after }) => [subject, before, after])).toEqual(
      expect.arrayContaining([
        ['house', null, expect.objectContaining({ apiKey: '(secret)' })],
        ['openai', null, expect.objectContaining({ headers: { 'x-org': '(secret)' } })],
      ]),
    );
    expect(JSON.stringify(found)).not.toMatch(/secret-by-value|secret-header|sealed/);
  });

  test('is in no act for a request that is refused or changes nothing', async () => {
    const before = await acts();
    await control.api('PUT', '/projects/filed', { weight: 9 });
    await control.api('DELETE', '/projects/nowhere');
    await control.api('PATCH', '/users/ann/login', { email: 'x' });
    await ann.api('PUT', '/projects/lab/members/nobody', { role: 'viewer' });
    await ann.api('GET', '/tokens');
    await signIn(control, 'ann', 'wrong', from);
    expect(await acts()).toEqual(before);
  });

  test('is read in pages, and filtered', async () => {
    const all = await acts();
    const pages: AuditEntry[] = [];
    let next: number | null | undefined;
    do {
      const { body } = await control.api('GET', `/audit?limit=7${next ? `&cursor=${next}` : ''}`);
      expect(auditPage.parse(body)).toEqual(body);
      const page = body as { data: AuditEntry[]; next: number | null };
      pages.push(...page.data);
      next = page.next;
    } while (next !== null);
    expect(pages).toEqual(all);
    const third = all[2] as AuditEntry;
    for (const [query, holds] of [
      [`actor=ann`, act => act.actor === 'ann'],
      [`actorKind=user`, act => act.actorKind === 'user'],
      [`action=createToken`, act => act.action === 'createToken'],
      [`subjectKind=token`, act => act.subjectKind === 'token'],
      [`project=lab`, act => act.project === 'lab'],
      [
        `subject=${third.subjectId ?? third.subject}`,
        act => [act.subjectId, act.subject].includes(third.subjectId ?? third.subject),
      ],
      [`to=${third.at}`, act => act.at < third.at],
      [`from=${third.at}`, act => act.at >= third.at],
    ] satisfies [string, (act: AuditEntry) => boolean][])
      expect({ query, acts: await acts(`&${query}`) }).toEqual({ query, acts: all.filter(holds) });
    const wrong = await control.api('GET', '/audit?acton=x');
    expect(refusalOf(wrong)).toMatchObject({ status: 400, param: 'acton' });
  });

  test('shows a manager the acts of the own projects', async () => {
    const max = await makePerson(control, 'max');
    for (const project of ['seen', 'hidden']) await control.api('PUT', `/projects/${project}`, {});
    await control.api('PUT', '/projects/seen/members/max', { role: 'manager' });
    const { data } = (await max.api('GET', '/audit')).body as { data: AuditEntry[] };
    expect(data.map(({ action, project }) => [action, project])).toEqual([
      ['setMember', 'seen'],
      ['setProject', 'seen'],
    ]);
    expect((await max.api('GET', '/audit?project=hidden')).status).toBe(403);
    const exported = await max.api('GET', '/audit/export?format=jsonl');
    expect(String(exported.body).trim().split('\n')).toHaveLength(2);
  });

  test('is exported as CSV and as lines of JSON, oldest first', async () => {
    const all = (await acts()).reverse();
    const lines = await send(control, 'GET', '/audit/export?format=jsonl', undefined, { cookie: ann.cookie });
    const found = String(lines.body)
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(found).toEqual(all);
    await control.api('PUT', '/users/%3Dcmd', {});
    const csv = await send(control, 'GET', '/audit/export?subjectKind=user', undefined, {
      cookie: ann.cookie,
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"');
    const rows = String(csv.body).split('\r\n');
    expect(rows[0]).toMatch(/^id,at,actorKind,actor,.*,before,after$/);
    expect(rows.at(-2)).toContain(",'=cmd,");
  });
});

test('the database refuses to change or remove acts', async () => {
  const count = (await acts()).length;
  expect(count).toBeGreaterThan(0);
  await control.stop();
  const client = await PGlite.create(`${folder}/control`);
  for (const change of ["update audit set actor = 'x'", 'delete from audit', 'truncate audit'])
    await expect(client.query(change)).rejects.toThrow('the audit log is append-only');
  expect((await client.query('select * from audit')).rows).toHaveLength(count);
  await client.close();
});
