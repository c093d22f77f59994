import type { AccountInfo, IssuedAccount } from '@model-gateway/admin-api';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../database/people-tables.ts';
import type { TestControl } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let env: { GATEWAY_DATA: string };
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  env = { GATEWAY_DATA: await stage.folder() };
  control = await stage.control(env);
  for (const project of ['lab', 'other']) await control.api('PUT', `/projects/${project}`, {});
});
afterAll(() => stage.clear());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const create = (more: object) =>
  control.api('POST', '/accounts', { name: 'ci', role: 'admin', expiresAt: inDays(30), ...more });
const made = async (more: object = {}) => (await create(more)).body as IssuedAccount;

describe('a service account', () => {
  test('has a token that is shown once, and works until it is revoked', async () => {
    const expiresAt = inDays(30);
    const { status, headers, body } = await create({ expiresAt });
    const { token, ...account } = body as IssuedAccount;
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(token).toMatch(/^sa-[\w-]{43}$/);
    expect(account).toEqual({
      ...{ id: expect.any(String), name: 'ci', role: 'admin', projects: [], prefix: token.slice(0, 11) },
      ...{ createdAt: expect.any(String), expiresAt, lastUsedAt: null },
    });
    const list = async () =>
      (await control.api('GET', '/accounts', undefined, token)).body as { data: AccountInfo[] };
    expect((await list()).data).toMatchObject([
      { id: account.id, lastUsedAt: expect.stringMatching(/:00\.000Z$/) },
    ]);
    expect(JSON.stringify(await list())).not.toContain(token);
    expect((await control.api('GET', '/session', undefined, token)).body).toEqual({
      ...{ kind: 'account', name: 'ci', role: 'admin', projects: [], expiresAt },
    });
    expect((await control.api('DELETE', `/accounts/${account.id}`)).status).toBe(204);
    expect((await control.api('GET', '/accounts', undefined, token)).status).toBe(401);
    expect(refusalOf(await control.api('DELETE', `/accounts/${account.id}`))).toMatchObject({ status: 404 });
  });

  test('has its role in its projects alone', async () => {
    const { token } = await made({ role: 'viewer', projects: ['lab'] });
    const ask = async (method: string, path: string, body?: unknown) =>
      (await control.api(method, path, body, token)).status;
    expect(await ask('GET', '/projects/lab')).toBe(200);
    expect(await ask('GET', '/projects/other')).toBe(404);
    expect(await ask('POST', '/tokens', { name: 'n', project: 'lab' })).toBe(403);
    expect(await ask('GET', '/users')).toBe(403);
    const manager = await made({ role: 'manager', projects: ['lab', 'lab'] });
    const issue = (project: string) => control.api('POST', '/tokens', { name: 'n', project }, manager.token);
    expect(manager.projects).toEqual(['lab']);
    expect((await issue('lab')).body).toMatchObject({ project: 'lab', owner: null });
    expect(refusalOf(await issue('other'))).toMatchObject({ status: 403, param: 'project' });
  });

  test('gets another token by rotation, and the old one is refused', async () => {
    const { id, token } = await made();
    const { status, body } = await control.api('POST', `/accounts/${id}/rotate`, { expiresAt: inDays(60) });
    const rotated = body as IssuedAccount;
    expect([status, rotated.id]).toEqual([200, id]);
    expect((await control.api('GET', '/accounts', undefined, token)).status).toBe(401);
    expect((await control.api('GET', '/accounts', undefined, rotated.token)).status).toBe(200);
  });

  test('is refused from the moment it expires', async () => {
    const { id, token } = await made();
    const statusOf = async () => (await control.api('GET', '/accounts', undefined, token)).status;
    expect(await statusOf()).toBe(200);
    control = await stage.startChanged(control, env, db =>
      db.update(accounts).set({ expiresAt: sql`now()` }).where(eq(accounts.id, id)),
    );
    expect(await statusOf()).toBe(401);
  });

  test.each<[string, object, string]>([
    ['no expiry', { expiresAt: undefined }, 'expiresAt'],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry in two years', { expiresAt: inDays(730) }, 'expiresAt'],
    ['the role of a member, who owns tokens', { role: 'member', projects: ['lab'] }, 'role'],
    ['an admin of a project', { projects: ['lab'] }, 'projects'],
    ['a viewer of no project', { role: 'viewer' }, 'projects'],
    ['a project that does not exist', { role: 'viewer', projects: ['lab', 'nowhere'] }, 'projects[1]'],
  ])('cannot have %s', async (_name, more, param) => {
    expect(refusalOf(await create(more))).toMatchObject({ status: 400, param });
  });
});
