import { hashSecret, tokenKey } from '@model-gateway/access';
import type { IssuedToken, Problem } from '@model-gateway/admin-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, TestControl } from '../testing/control.ts';
import { makePerson, type Person } from '../testing/person.ts';
import { Stage } from '../testing/stage.ts';
import { mostEarlierSecrets } from '../tokens/token-bounds.ts';

const bounds = { GATEWAY_TOKENS_OF_PROJECT: '5', GATEWAY_TOKENS_OF_OWNER: '3', GATEWAY_SCOPE_BYTES: '500' };
let stage: Stage;
let control: TestControl;
/** A member of another project. */
let victim: Person;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder(), ...bounds });
  victim = await member('victim', 'other');
});
afterAll(() => stage.clear());

/** Makes a member of a project. */
async function member(name: string, project: string): Promise<Person> {
  const person = await makePerson(control, name);
  await control.api('PUT', `/projects/${project}`, {});
  await control.api('PUT', `/projects/${project}/members/${name}`, { role: 'member' });
  return person;
}

const create = (person: Person, project: string, more: object = {}) =>
  person.api('POST', '/tokens', { name: 'one', project, ...more });

function assertRefused(answer: Answer | undefined, code: string, setting: string): void {
  expect(answer).toMatchObject({ status: 429, body: { code } });
  expect((answer as { body: Problem }).body.detail).toContain(setting);
}

async function assertVictimUnharmed(): Promise<void> {
  const { status, body } = await create(victim, 'other', { models: ['a'] });
  expect(status).toBe(201);
  expect((await victim.api('DELETE', `/tokens/${(body as IssuedToken).id}`)).status).toBe(204);
}

test('an owner has so many tokens, however many are made at once, and admins may make more', async () => {
  const ada = await member('ada', 'lab');
  const answers = await Promise.all(Array.from({ length: 6 }, () => create(ada, 'lab')));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  assertRefused(refused, 'too_many_tokens', 'GATEWAY_TOKENS_OF_OWNER');
  expect(refused?.body).toMatchObject({ errors: [{ path: 'owner' }] });
  await assertVictimUnharmed();
  await control.issue({ name: 'more', project: 'lab', owner: 'ada' });
  assertRefused(await create(ada, 'lab'), 'too_many_tokens', 'GATEWAY_TOKENS_OF_OWNER');
  // What exists can be changed, and a revoked token makes room.
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body as IssuedToken);
  expect((await ada.api('PATCH', `/tokens/${made[0]?.id}`, { name: 'two' })).status).toBe(200);
  for (const { id } of made.slice(0, 2)) await ada.api('DELETE', `/tokens/${id}`);
  expect((await create(ada, 'lab')).status).toBe(201);
});

test('a project has so many tokens, and none is moved into a full one but by admins', async () => {
  for (const name of ['eve', 'bob']) await member(name, 'shop');
  const manager = await makePerson(control, 'max');
  for (const project of ['shop', 'store']) {
    await control.api('PUT', `/projects/${project}`, {});
    await control.api('PUT', `/projects/${project}/members/max`, { role: 'manager' });
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(manager, 'shop')));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  const refused = answers.find(({ status }) => status !== 201);
  assertRefused(refused, 'too_many_tokens', 'GATEWAY_TOKENS_OF_PROJECT');
  expect(refused?.body).toMatchObject({ errors: [{ path: 'project' }] });
  await assertVictimUnharmed();
  const { id } = (await create(manager, 'store')).body as IssuedToken;
  assertRefused(
    await manager.api('PATCH', `/tokens/${id}`, { project: 'shop' }),
    'too_many_tokens',
    'GATEWAY_TOKENS_OF_PROJECT',
  );
  expect((await control.api('PATCH', `/tokens/${id}`, { project: 'shop' })).status).toBe(200);
});

test('a service account is bounded as a user is', async () => {
  await control.api('PUT', '/projects/ci', {});
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const account = { name: 'robot', role: 'manager', projects: ['ci'], expiresAt };
  const { token } = (await control.api('POST', '/accounts', account)).body as { token: string };
  const answers: Answer[] = [];
  for (let i = 0; i < 6; i++)
    answers.push(await control.api('POST', '/tokens', { name: `t${i}`, project: 'ci' }, token));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 429]);
  assertRefused(answers.at(-1), 'too_many_tokens', 'GATEWAY_TOKENS_OF_PROJECT');
});

test('a service account makes so many tokens without an owner in all projects, however it makes them', async () => {
  const projects = ['one', 'two', 'three'];
  for (const project of projects) await control.api('PUT', `/projects/${project}`, {});
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const account = { name: 'maker', role: 'manager', projects, expiresAt };
  const { token } = (await control.api('POST', '/accounts', account)).body as { token: string };
  const make = (i: number, more: object = {}) =>
    control.api('POST', '/tokens', { name: `t${i}`, project: projects[i % 3], ...more }, token);
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => make(i)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  const refused = answers.find(({ status }) => status !== 201);
  assertRefused(refused, 'too_many_tokens', 'GATEWAY_TOKENS_OF_PROJECT');
  expect(refused?.body).toMatchObject({ errors: [{ path: 'owner' }] });
  // Another caller is not bound by what the account made, and owned tokens are counted for their owner.
  await control.issue({ name: 'other', project: 'one' });
  await control.api('PUT', '/projects/one/members/victim', { role: 'member' });
  const owned = await make(0, { owner: 'victim' });
  expect(owned.status).toBe(201);
  const { id } = owned.body as IssuedToken;
  const loosened = await control.api('PATCH', `/tokens/${id}`, { owner: null }, token);
  assertRefused(loosened, 'too_many_tokens', 'GATEWAY_TOKENS_OF_PROJECT');
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body as IssuedToken);
  expect((await control.api('DELETE', `/tokens/${made[0]?.id}`, undefined, token)).status).toBe(204);
  expect((await control.api('PATCH', `/tokens/${id}`, { owner: null }, token)).status).toBe(200);
});

test('the scopes of a token have so many bytes, unless an admin sets them', async () => {
  const kim = await member('kim', 'small');
  const models = Array.from({ length: 10 }, (_, i) => `${'m'.repeat(90)}${i}`);
  const refused = await create(kim, 'small', { models });
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'models', code: 'scopes_too_large' }] },
  });
  expect((refused.body as Problem).detail).toMatch(/500 are allowed.*GATEWAY_SCOPE_BYTES/);
  await assertVictimUnharmed();
  const { id } = (await create(kim, 'small', { models: models.slice(0, 2) })).body as IssuedToken;
  expect(await kim.api('PATCH', `/tokens/${id}`, { models })).toMatchObject({ status: 400 });
  expect((await control.api('PATCH', `/tokens/${id}`, { models })).status).toBe(200);
  // What an admin set stays as it is, and may get smaller.
  expect((await kim.api('PATCH', `/tokens/${id}`, { name: 'two' })).status).toBe(200);
  expect((await kim.api('PATCH', `/tokens/${id}`, { models: models.slice(0, 8) })).status).toBe(200);
  expect(await kim.api('PATCH', `/tokens/${id}`, { models })).toMatchObject({ status: 400 });
});

test('a token keeps so many earlier secrets, and is rotated without them', async () => {
  const lee = await member('lee', 'keys');
  const { id } = (await create(lee, 'keys')).body as IssuedToken;
  const rotate = (graceSeconds: number) => lee.api('POST', `/tokens/${id}/rotate`, { graceSeconds });
  for (let i = 0; i < mostEarlierSecrets; i++) expect((await rotate(600)).status).toBe(200);
  assertRefused(await rotate(600), 'too_many_secrets', `${mostEarlierSecrets} earlier secrets`);
  expect((await rotate(0)).status).toBe(200);
  expect((await rotate(600)).status).toBe(200);
});

test('a revoked token is published without its scopes', async () => {
  const { id, token } = await control.issue({ name: 'gone', models: ['a', 'b'], tags: { team: 'x' } });
  const published = async () => (await stage.read('access')).get(tokenKey(hashSecret(token)));
  expect(await published()).toMatchObject({ id, models: ['a', 'b'], tags: { team: 'x' } });
  await control.api('DELETE', `/tokens/${id}`);
  const after = await published();
  expect(after).toMatchObject({ id, revoked: true });
  expect(after).not.toHaveProperty('models');
  expect(after).not.toHaveProperty('tags');
});
