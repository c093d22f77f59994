import {
  type AuditEntry,
  asksForRole,
  type EndpointName,
  endpoints,
  type ProjectRole,
  permissions,
  projectRoles,
  type RoleEndpoint,
  type Scope,
} from '@model-gateway/admin-api';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, TestControl } from '../testing/control.ts';
import { type Place, samples } from '../testing/endpoint-samples.ts';
import { passing } from '../testing/passing-time.ts';
import { makePerson, type Person, send } from '../testing/person.ts';
import { refusalOf } from '../testing/refusal.ts';
import { RunningProcess } from '../testing/running-process.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
/** The secret of a client's token. */
let client: string;
let running: RunningProcess;
const people = new Map<string, Person>();
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  control = await stage.control({ GATEWAY_DATA: await stage.folder() }, { clock });
  // From now on control knows that there is no worker, and who answers its questions.
  await clock.advance(2_000);
  running = new RunningProcess({ ...stage.bus, clock });
  people.set('admin', await makePerson(control, 'ann', 'admin'));
  for (const role of [...projectRoles, 'none']) people.set(role, await makePerson(control, `${role}-user`));
  await control.api('PUT', '/users/someone', {});
  client = (await control.issue({ name: 'client' })).token;
});
afterAll(() => stage.clear());

const names = (Object.keys(endpoints) as EndpointName[]).filter(asksForRole);
let made = 0;
const newToken = async (place: Place) => (await control.issue({ name: 'one', ...place })).id;

/** Makes a project in which the person has this role. */
async function newProject(person: Person, role?: ProjectRole): Promise<string> {
  const project = `project-${made++}`;
  await control.api('PUT', `/projects/${project}`, {});
  if (role) await control.api('PUT', `/projects/${project}/members/${person.name}`, { role });
  await control.api('PUT', `/projects/${project}/members/someone`, { role: 'viewer' });
  return project;
}

/** The endpoints that take a second or more. */
const slow = new Set<EndpointName>(['followRunning', 'showDiagnostics']);

/** The projects that tests share, unless they delete them. */
const shared = new Map<string, Promise<string>>();

/** Returns the project in which the person has this role, and no more than that. */
function projectOf(person: Person, role?: ProjectRole): Promise<string> {
  const key = `${person.name} ${role}`;
  const project = shared.get(key) ?? newProject(person, role);
  shared.set(key, project);
  return project;
}

async function requestOf(name: RoleEndpoint, place: Place) {
  const scene = { bus: stage.bus, control, clock, running, ...place };
  const { path, body } = samples[name];
  return [endpoints[name].method.toUpperCase(), await path(scene), body?.(scene)] as const;
}

async function ask(name: RoleEndpoint, person: Person, place: Place): Promise<Answer> {
  const answer = person.api(...(await requestOf(name, place)));
  return slow.has(name) ? passing(clock, answer, 100) : answer;
}

const refusal = (answer: Answer) => {
  const { status, code } = refusalOf(answer);
  return [status, code];
};

describe.each(names)('%s', name => {
  const { of } = samples[name];
  const projectFor = name === 'deleteProject' ? newProject : projectOf;
  const allowed = endpoints[name].status;

  test('is allowed for an admin, in every project', async () => {
    const admin = people.get('admin') as Person;
    const project = await projectFor(admin);
    expect((await ask(name, admin, { project, owner: 'someone' })).status).toBe(allowed);
  });

  test.each(projectRoles)('is for a %s as the table says', async role => {
    const person = people.get(role) as Person;
    const scope: Scope | undefined = permissions[name][role];
    const project = await projectFor(person, role);
    const theirs = await ask(name, person, { project, owner: 'someone' });
    if (scope === undefined) return expect(refusal(theirs)).toEqual([403, 'insufficient_permissions']);
    if (of === undefined) return expect(theirs.status).toBe(allowed);
    if (of === 'token') {
      const own = { project, owner: person.name };
      expect((await ask(name, person, own)).status).toBe(allowed);
    }
    if (scope === 'own') expect(refusal(theirs)).toEqual([403, 'insufficient_permissions']);
    else expect(theirs.status).toBe(allowed);
    const elsewhere = { project: await projectFor(person), owner: person.name };
    expect([403, 404]).toContain((await ask(name, person, elsewhere)).status);
    expect(await ask(name, person, { project: 'nowhere', owner: person.name })).not.toMatchObject({
      status: allowed,
    });
  });

  test('is refused for a user without a role, a client and nobody', async () => {
    const person = people.get('none') as Person;
    const place = { project: await projectFor(person), owner: person.name };
    expect(refusal(await ask(name, person, place))).toEqual([403, 'insufficient_permissions']);
    const request = await requestOf(name, place);
    expect(refusal(await control.api(...request, client))).toEqual([403, 'admin_token_required']);
    expect((await send(control, ...request, {})).status).toBe(401);
  });
});

test('every endpoint that asks for a role has a row in the table, and no other', () => {
  expect(Object.keys(permissions).sort()).toEqual([...names].sort());
});

describe('lists', () => {
  test('hold what the caller may see, and no more', async () => {
    const person = people.get('viewer') as Person;
    const [seen, hidden] = [await newProject(person, 'viewer'), await newProject(person)];
    const [shown, kept] = [
      await newToken({ project: seen, owner: 'someone' }),
      await newToken({ project: hidden, owner: person.name }),
    ];
    const idsOf = ({ body }: Answer) => (body as { data: { id: string }[] }).data.map(({ id }) => id);
    const tokens = idsOf(await person.api('GET', '/tokens'));
    expect(tokens).toContain(shown);
    expect(tokens).not.toContain(kept);
    const { body } = await person.api('GET', '/projects');
    const projects = (body as { data: { name: string }[] }).data.map(({ name }) => name);
    expect(projects).toContain(seen);
    expect(projects).not.toContain(hidden);
  });
});

describe('a role', () => {
  test('holds from the next request on, and ends with the project', async () => {
    const person = people.get('none') as Person;
    const project = await newProject(person, 'viewer');
    expect((await person.api('GET', `/projects/${project}`)).status).toBe(200);
    await control.api('DELETE', `/projects/${project}/members/${person.name}`);
    expect((await person.api('GET', `/projects/${project}`)).status).toBe(403);
    await control.api('PUT', `/projects/${project}/members/${person.name}`, { role: 'viewer' });
    await control.api('DELETE', `/projects/${project}`);
    await control.api('PUT', `/projects/${project}`, {});
    expect((await person.api('GET', `/projects/${project}`)).status).toBe(403);
  });

  test('of a member gives no token to another owner, and takes none from one', async () => {
    const person = people.get('member') as Person;
    const project = await newProject(person, 'member');
    const { status, body } = await person.api('POST', '/tokens', { name: 'mine', project });
    expect([status, body]).toMatchObject([201, { owner: person.name }]);
    const { id } = body as { id: string };
    expect((await person.api('PATCH', `/tokens/${id}`, { owner: 'someone' })).status).toBe(403);
    expect((await person.api('PATCH', `/tokens/${id}`, { owner: null })).status).toBe(403);
    expect((await person.api('PATCH', `/tokens/${id}`, { name: 'still mine' })).status).toBe(200);
  });

  test('moves tokens only to projects in which it allows them', async () => {
    const person = people.get('manager') as Person;
    const [from, to] = [await newProject(person, 'manager'), await newProject(person, 'manager')];
    const [foreign, mine] = [await newProject(person), await newProject(person, 'member')];
    const id = await newToken({ project: from, owner: 'someone' });
    const move = async (project: string, more: object = {}) =>
      (await person.api('PATCH', `/tokens/${id}`, { project, ...more })).status;
    expect(await move(foreign)).toBe(403);
    expect(await move('no-such-project')).toBe(403);
    expect((await control.api('GET', '/projects/no-such-project')).status).toBe(404);
    // A member has own tokens only.
    expect(await move(mine)).toBe(403);
    expect(await move(to)).toBe(200);
    for (const project of [from, to]) {
      const { body } = await control.api('GET', `/audit?action=changeToken&project=${project}`);
      const [act] = (body as { data: AuditEntry[] }).data;
      expect(act).toMatchObject({ subjectId: id, before: { project: from }, after: { project: to } });
    }
    expect(await move(mine, { owner: person.name })).toBe(200);
  });

  test('of a manager names owners who have a role in the project', async () => {
    const person = people.get('manager') as Person;
    const project = await newProject(person, 'manager');
    const issue = (owner: string) => person.api('POST', '/tokens', { name: 'n', project, owner });
    expect((await issue('someone')).status).toBe(201);
    const refused = await issue('stranger');
    expect(refusalOf(refused)).toMatchObject({ status: 403, param: 'owner' });
    expect((await control.api('GET', '/users/stranger')).status).toBe(404);
  });
});
