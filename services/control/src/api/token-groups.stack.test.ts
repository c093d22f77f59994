import { readFileSync, writeFileSync } from 'node:fs';
import type { AuditPage, ProjectInfo, UserInfo } from '@model-gateway/admin-api';
import type { Catalog } from '@model-gateway/catalog';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import { type TestControl, until } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
let catalog: Catalog;
let path: string;
const filed = `
projects:
  - { name: other }
  - { name: filed, limits: { requestsPerMinute: 7 }, weight: 2 }
users:
  - { name: grace, budget: { amount: 5, period: week } }
`;
beforeAll(async () => {
  stage = await Stage.set();
  const env = await stage.withCatalog(catalogText('fast', filed));
  path = env.GATEWAY_CONFIG;
  control = await stage.control(env);
  catalog = await stage.catalog();
});
afterAll(() => stage.clear());

const set = (path: string, body: object) => control.api('PUT', path, body);
const show = async <Info = ProjectInfo>(path: string) => (await control.api('GET', path)).body as Info;
const list = async <Info>(path: string) => ((await control.api('GET', path)).body as { data: Info[] }).data;

const unset = {
  limits: null,
  budget: null,
  allowUnpriced: null,
  prices: null,
  weight: null,
  storeResponses: null,
  storeErrors: null,
  logging: null,
  managedBy: 'api',
  place: null,
};
const settings = {
  limits: { requestsPerMinute: 5, models: { 'gpt-*': { concurrency: 1 } } },
  budget: { amount: 12.5, period: 'month', endsStreams: true },
  allowUnpriced: true,
  prices: { fast: { input: 1, output: 2 } },
  weight: 3,
  storeResponses: false,
  storeErrors: false,
  logging: {
    sample: 0.5,
    redact: ['email', { name: 'employee', pattern: 'EMP-\\d+' }],
    retentionDays: 7,
    maxBytes: 1_000,
  },
} as const;

describe('PUT /projects/{name}', () => {
  test('sets all settings of a project, which every ingress knows when it is answered', async () => {
    const { status, body } = await set('/projects/lab', settings);
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        name: 'lab',
        createdAt: expect.any(String),
        ...settings,
        managedBy: 'api',
        place: null,
      },
    ]);
    expect(await show('/projects/lab')).toEqual(body);
    expect(await list<ProjectInfo>('/projects')).toContainEqual(body);
    await until(() => catalog.budgetOf('lab') !== undefined);
    expect(catalog.limitsOf('lab')).toEqual(settings.limits);
    expect(catalog.budgetOf('lab')).toEqual(settings.budget);
    expect(catalog.allowsUnpriced('lab')).toBe(true);
    expect(catalog.priceFor('lab', 'fast')).toEqual(settings.prices.fast);
    expect(catalog.keepsResponses('lab')).toBe(false);
    expect(catalog.envelopeToken({ id: 'id', project: 'lab' })).toMatchObject({ weight: 3 });

    const next = { limits: { concurrency: 2 }, budget: null };
    expect((await set('/projects/lab', next)).body).toMatchObject({
      ...unset,
      limits: { concurrency: 2 },
    });
    await until(() => catalog.limitsOf('lab')?.concurrency === 2);
    expect(catalog.budgetOf('lab')).toBeUndefined();
    expect(catalog.allowsUnpriced('lab')).toBe(false);
    await set('/projects/lab', {});
    await until(() => catalog.limitsOf('lab') === undefined);
  });

  test('sets a project that a token has named, and the other way round', async () => {
    const { project } = await control.issue({ name: 'one', project: 'a/b c%' });
    const at = `/projects/${encodeURIComponent(project)}`;
    expect(await show(at)).toMatchObject({ name: project, ...unset });
    const { body } = await set(at, { weight: 4 });
    await control.issue({ name: 'two', project });
    expect(await show(at)).toEqual(body);
  });

  test.each<[string, object, string]>([
    ['an amount that is no number', { budget: { amount: '1', period: 'day' } }, 'budget.amount'],
    [
      'an unknown field of a budget',
      { budget: { amount: 1, period: 'day', currency: 'EUR' } },
      'budget.currency',
    ],
    ['a negative price', { prices: { fast: { input: -1 } } }, 'prices.fast.input'],
    ['an unknown price', { prices: { fast: { inputs: 1 } } }, 'prices.fast.inputs'],
    ['a weight of 0', { weight: 0 }, 'weight'],
    ['text in place of true', { allowUnpriced: 'yes' }, 'allowUnpriced'],
    ['logging without a sample', { logging: {} }, 'logging.sample'],
    ['a sample above 1', { logging: { sample: 2 } }, 'logging.sample'],
    ['an unknown kind', { logging: { sample: 1, redact: ['emails'] } }, 'logging.redact[0]'],
    ['a retention of 0 days', { logging: { sample: 1, retentionDays: 0 } }, 'logging.retentionDays'],
    ['too many bytes', { logging: { sample: 1, maxBytes: 262_145 } }, 'logging.maxBytes'],
    [
      'a pattern that may take exponential time',
      { logging: { sample: 1, redact: ['email', { name: 'x', pattern: '(a)\\1' }] } },
      'logging.redact[1].pattern',
    ],
    [
      'a pattern that matches everything',
      { logging: { sample: 1, redact: [{ name: 'x', pattern: 'a*' }] } },
      'logging.redact[0].pattern',
    ],
    ['an unknown field', { budgets: [] }, 'budgets'],
  ])('refuses %s with its path', async (_, body, param) => {
    expect(refusalOf(await set('/projects/refused', body))).toMatchObject({ status: 400, param });
    expect((await control.api('GET', '/projects/refused')).status).toBe(404);
  });

  test('refuses a name that a token could not have', async () => {
    for (const name of ['%00', 'x'.repeat(201), '%E2%80%8B'])
      for (const method of ['GET', 'PUT', 'DELETE'])
        expect(
          refusalOf(await control.api(method, `/projects/${name}`, method === 'PUT' ? {} : undefined)),
        ).toMatchObject({ status: 400, param: 'name' });
  });
});

describe('DELETE /projects/{name}', () => {
  test('is refused while the project has tokens', async () => {
    const { id } = await control.issue({ name: 'one', project: 'busy' });
    await set('/projects/busy', { limits: { concurrency: 1 } });
    expect(refusalOf(await control.api('DELETE', '/projects/busy'))).toEqual({
      status: 409,
      param: null,
      code: 'tokens_exist',
      message: 'The project has 1 token. Revoke it first.',
    });
    await until(() => catalog.limitsOf('busy') !== undefined);
    await control.api('DELETE', `/tokens/${id}`);
    expect((await control.api('DELETE', '/projects/busy')).status).toBe(204);
    await until(() => catalog.limitsOf('busy') === undefined);
    for (const method of ['GET', 'DELETE'])
      expect(refusalOf(await control.api(method, '/projects/busy'))).toMatchObject({
        status: 404,
        code: 'project_not_found',
      });
    expect((await list<ProjectInfo>('/projects')).map(({ name }) => name)).not.toContain('busy');
  });

  test('a token or a PUT brings a deleted project back, without its settings', async () => {
    for (const bringBack of [
      () => control.issue({ name: 'one', project: 'back' }),
      () => set('/projects/back', {}),
    ]) {
      await set('/projects/back', settings);
      expect((await control.api('DELETE', '/projects/back')).status).toBe(204);
      await bringBack();
      expect(await show('/projects/back')).toMatchObject(unset);
      for (const { id, project } of await control.tokens())
        if (project === 'back') await control.api('DELETE', `/tokens/${id}`);
    }
  });
});

test('a user has a budget, and is deleted only without tokens', async () => {
  const { id } = await control.issue({ name: 'one', owner: 'ada' });
  expect(await show<UserInfo>('/users/ada')).toMatchObject({
    name: 'ada',
    budget: null,
    managedBy: 'api',
    place: null,
  });
  const budget = { amount: 3, period: 'total' };
  expect((await set('/users/ada', { budget })).body).toMatchObject({ name: 'ada', budget });
  await until(() => catalog.userBudgetOf('ada') !== undefined);
  expect(catalog.userBudgetOf('ada')).toEqual(budget);
  expect((await list<UserInfo>('/users')).map(({ name }) => name)).toEqual(['ada', 'admin', 'grace']);
  expect(refusalOf(await control.api('DELETE', '/users/ada'))).toMatchObject({ code: 'tokens_exist' });
  await control.api('PATCH', `/tokens/${id}`, { owner: null });
  expect((await control.api('DELETE', '/users/ada')).status).toBe(204);
  await until(() => catalog.userBudgetOf('ada') === undefined);
  expect(refusalOf(await set('/users/ada', { limits: {} }))).toMatchObject({ status: 400, param: 'limits' });
});

describe('what gateway.yaml states', () => {
  const lineOf = (name: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex(line => line.includes(`name: ${name}`)) + 1;
  const adopt = (kind: string, name: string) => control.api('POST', '/catalog/adopt', { kind, name });

  test('is in force, and read-only as a whole', async () => {
    const place = { file: path, line: lineOf('filed') };
    const filedProject = { ...unset, limits: { requestsPerMinute: 7 }, weight: 2, managedBy: 'file', place };
    expect(await show('/projects/filed')).toMatchObject(filedProject);
    expect(catalog.userBudgetOf('grace')).toEqual({ amount: 5, period: 'week' });
    const managed = {
      ...{ status: 409, param: null, code: 'managed_by_file' },
      message: `The project "filed" is managed by ${path}, line ${place.line}. Change it there, or move it to the database by: gateway adopt project "filed"`,
    };
    const stated = { limits: { requestsPerMinute: 7 }, weight: 2 };
    const budget = { amount: 9, period: 'day' };
    for (const other of [{}, { weight: 2 }, { ...stated, budget }, { ...stated, weight: 1 }])
      expect(refusalOf(await set('/projects/filed', other))).toEqual(managed);
    expect(refusalOf(await control.api('DELETE', '/projects/filed'))).toEqual(managed);
    expect(refusalOf(await set('/users/grace', { budget: null }))).toMatchObject({ status: 409 });
    expect((await set('/projects/filed', stated)).body).toMatchObject(filedProject);
  });

  test('is not applied while the API states it, too; the reason names the line', async () => {
    await set('/projects/taken', { weight: 5 });
    const before = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      catalogText('fast', filed.replace('users:', '  - { name: taken, weight: 6 }\nusers:')),
    );
    await until(() => control.notices().length > 0);
    expect(control.notices()).toEqual([
      `${path}, line ${lineOf('taken')}: the project "taken" is of the database, so this file is not applied. Remove it from the file, or delete it by the API`,
    ]);
    expect(control.problems()).toEqual([]);
    expect(await show('/projects/taken')).toMatchObject({ weight: 5, managedBy: 'api' });
    await control.api('DELETE', '/projects/taken');
    await until(() => catalog.envelopeToken({ id: '', project: 'taken' }).weight === 6);
    await until(() => control.notices().length === 0);
    writeFileSync(path, before);
    await until(() => catalog.envelopeToken({ id: '', project: 'taken' }).weight === undefined);
  });

  test('moves to the database by adoption; until it leaves the file, a changed file is not applied', async () => {
    const { managedBy: _, place, ...settings } = await show<ProjectInfo>('/projects/filed');
    const { status, body } = await adopt('project', 'filed');
    expect([status, body]).toEqual([200, { kind: 'project', name: 'filed', place }]);
    const adopted = { ...settings, managedBy: 'api', place: null };
    expect(await show('/projects/filed')).toEqual(adopted);
    expect((await adopt('project', 'filed')).body).toEqual({ kind: 'project', name: 'filed', place: null });
    expect((await set('/projects/filed', { weight: 3 })).status).toBe(200);
    await until(() => catalog.envelopeToken({ id: '', project: 'filed' }).weight === 3);

    writeFileSync(path, `${readFileSync(path, 'utf8')}\n# changed\n`);
    await until(() =>
      control.notices().join().startsWith(`${path}, line ${place?.line}: the project "filed"`),
    );
    writeFileSync(path, readFileSync(path, 'utf8').replace(/.*name: filed.*\n/, ''));
    await until(() => control.notices().length === 0);
    expect(await show('/projects/filed')).toMatchObject({ weight: 3, managedBy: 'api' });
    const [act] = ((await control.api('GET', '/audit?action=adoptEntry')).body as AuditPage).data;
    expect(act).toMatchObject({
      ...{ subjectKind: 'project', subject: 'filed', project: 'filed' },
      ...{ before: { managedBy: 'file' }, after: { managedBy: 'api' } },
    });
    expect(refusalOf(await adopt('user', 'nobody'))).toMatchObject({ status: 404, code: 'user_not_found' });
    expect((await adopt('user', 'grace')).status).toBe(200);
    expect(await show<UserInfo>('/users/grace')).toMatchObject({ budget: { amount: 5 }, managedBy: 'api' });
  });

  test('is gone with its entry, and the project can be deleted', async () => {
    const before = readFileSync(path, 'utf8').replace(/.*name: grace.*/, '  []');
    writeFileSync(path, before.replace('users:', '  - { name: short, weight: 2 }\nusers:'));
    await until(() => catalog.envelopeToken({ id: '', project: 'short' }).weight === 2);
    writeFileSync(path, before);
    await until(() => catalog.envelopeToken({ id: '', project: 'short' }).weight === undefined);
    expect(await show('/projects/short')).toMatchObject(unset);
    expect((await control.api('DELETE', '/projects/short')).status).toBe(204);
  });
});

describe('the name of a new user', () => {
  const make = [
    ['PUT', (name: string) => set(`/users/${encodeURIComponent(name)}`, {})],
    ['a token', (name: string) => control.api('POST', '/tokens', { name: 'of a user', owner: name })],
    [
      'apply',
      (name: string) => control.api('PUT', '/catalog', { providers: [], models: [], users: [{ name }] }),
    ],
  ] as const;
  const refused = [
    ['Name-Taken', 'name_taken'],
    ['NAME-TAKEN', 'name_taken'],
    ['\uff4eame-taken', 'name_taken'],
    ['É-taken', 'name_taken'],
    [' name-new', 'invalid_value'],
    ['name-new\u00a0', 'invalid_value'],
    ['name\u034f-new', 'invalid_value'],
    ['\u3164', 'invalid_value'],
  ] as const;

  test.each(make.flatMap(([way, by]) => refused.map(([name, code]) => [way, name, code, by] as const)))(
    'by %s may not be %j: %s',
    async (_way, name, code, by) => {
      await set('/users/name-taken', {});
      await set(`/users/${encodeURIComponent('é-taken')}`, {});
      const { status, body } = await by(name);
      expect([status, (body as { errors?: { code: string }[] }).errors?.[0]?.code]).toEqual([400, code]);
      expect((await control.api('GET', `/users/${encodeURIComponent(name)}`)).status).toBe(404);
    },
  );

  test.each(make)('by %s may be that of a user who exists', async (_way, by) => {
    await set('/users/name-taken', {});
    expect((await by('name-taken')).status).toBeLessThan(300);
    expect((await by('name-taken-2')).status).toBeLessThan(300);
  });
});
