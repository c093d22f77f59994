import type { AuditEntry, TokenInfo, UserInfo } from '@model-gateway/admin-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { makePerson, type Person } from '../testing/person.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
let manager: Person;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  for (const project of ['lab', 'shop']) await control.api('PUT', `/projects/${project}`, {});
  manager = await makePerson(control, 'max');
  await control.api('PUT', '/projects/lab/members/max', { role: 'manager' });
});
afterAll(() => stage.clear());

/** Makes a member of two projects who owns a token in each, and returns which of them are disabled. */
async function memberWithTokens(name: string): Promise<() => Promise<Record<string, boolean>>> {
  await control.api('PUT', `/users/${name}`, {});
  for (const project of ['lab', 'shop']) {
    await control.api('PUT', `/projects/${project}/members/${name}`, { role: 'member' });
    await control.issue({ name: `${name} in ${project}`, project, owner: name });
  }
  return async () => {
    const { data } = (await control.api('GET', '/tokens?limit=1000')).body as { data: TokenInfo[] };
    const own = data.filter(({ owner }) => owner === name);
    return Object.fromEntries(own.map(({ project, disabled }) => [project, disabled]));
  };
}

test('a user who loses a role keeps the tokens in the project, unless they are to be disabled', async () => {
  const isDisabled = await memberWithTokens('ada');
  expect((await manager.api('DELETE', '/projects/lab/members/ada')).status).toBe(204);
  expect(await isDisabled()).toEqual({ lab: false, shop: false });

  await manager.api('PUT', '/projects/lab/members/ada', { role: 'viewer' });
  expect((await manager.api('DELETE', '/projects/lab/members/ada?tokens=disable')).status).toBe(204);
  expect(await isDisabled()).toEqual({ lab: true, shop: false });
  const { data } = (await control.api('GET', '/audit?actor=max&action=changeToken')).body as {
    data: AuditEntry[];
  };
  expect(data).toMatchObject([
    { subject: 'ada in lab', project: 'lab', before: { disabled: false }, after: { disabled: true } },
  ]);
  expect((await manager.api('DELETE', '/projects/lab/members/ada?tokens=revoke')).status).toBe(400);
});

test('a user whose login is disabled or removed keeps the tokens, unless they are to be disabled', async () => {
  const isDisabled = await memberWithTokens('bob');
  await control.api('PATCH', '/users/bob/login', { disabled: true });
  expect(await isDisabled()).toEqual({ lab: false, shop: false });
  const changed = await control.api('PATCH', '/users/bob/login', { disabled: true, tokens: 'disable' });
  expect(changed.body as UserInfo).toMatchObject({ login: { disabled: true } });
  expect(await isDisabled()).toEqual({ lab: true, shop: true });

  const isDisabledOfEve = await memberWithTokens('eve');
  expect((await control.api('DELETE', '/users/eve/login')).status).toBe(204);
  expect(await isDisabledOfEve()).toEqual({ lab: false, shop: false });
  expect((await control.api('DELETE', '/users/eve/login?tokens=disable')).status).toBe(204);
  expect(await isDisabledOfEve()).toEqual({ lab: true, shop: true });
});
