import { type EndpointName, endpoints } from '@model-gateway/admin-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, adminToken, type TestControl } from '../testing/control.ts';
import { samples } from '../testing/endpoint-samples.ts';
import { send } from '../testing/person.ts';
import { refusalOf } from '../testing/refusal.ts';
import { hasPostgres } from '../testing/shared-postgres.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({
    GATEWAY_DATA: await stage.folder(),
    // With several connections, so that changes may meet.
    ...(hasPostgres && { DATABASE_URL: await stage.postgres() }),
  });
});
afterAll(() => stage.clear());

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(control, method, path, body, { authorization: `Bearer ${adminToken}`, ...headers });
const tagOf = ({ headers }: Answer) => headers.get('etag') as string;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
let made = 0;

type Conditional = {
  [Name in EndpointName]: (typeof endpoints)[Name] extends { conditional: true } ? Name : never;
}[EndpointName];

/** Makes a resource for an endpoint. Returns the path that shows it, that of the endpoint, and a function for bodies that change it. */
async function make(name: Conditional) {
  const project = `project-${made++}`;
  await ask('PUT', `/projects/${project}`, {});
  const scene = { bus: stage.bus, control, project, owner: 'someone' };
  const path = await samples[name].path(scene);
  const shown = path.replace(/\/(rotate|login|password)$/, '');
  return { shown, path, body: () => samples[name].body?.(scene) };
}

const names = (Object.keys(endpoints) as EndpointName[]).filter(
  (name): name is Conditional => 'conditional' in endpoints[name],
);

describe.each(names)('%s', name => {
  const { method, status } = endpoints[name];

  if (method === 'get')
    test('sends an ETag, and 304 to a client that has it', async () => {
      const { shown } = await make(name);
      const read = await ask('GET', shown);
      const tag = tagOf(read);
      expect([read.status, tag]).toEqual([200, expect.stringMatching(/^"[\w.-]+"$/)]);
      for (const header of [tag, `"x", W/${tag}`, '*']) {
        const again = await ask('GET', shown, undefined, { 'if-none-match': header });
        expect([again.status, again.body, tagOf(again)]).toEqual([304, '', tag]);
      }
      expect((await ask('GET', shown, undefined, { 'if-none-match': '"x"' })).status).toBe(200);
    });
  else
    test('changes nothing unless the ETag is that of the resource', async () => {
      const { shown, path, body } = await make(name);
      const tag = tagOf(await ask('GET', shown));
      const change = (headers: Record<string, string>) => ask(method.toUpperCase(), path, body(), headers);
      for (const [header, value] of [
        ['if-match', '"x"'],
        ['if-match', `W/${tag}`],
        ['if-none-match', '*'],
      ] as const) {
        const refused = refusalOf(await change({ [header]: value }));
        expect(refused).toMatchObject({ status: 412, code: 'precondition_failed', param: null });
        expect(tagOf(await ask('GET', shown))).toBe(tag);
      }
      const changed = await change({ 'if-match': `"x", ${tag}` });
      expect(changed.status).toBe(status);
      if (status === 200 && method !== 'post') {
        expect(tagOf(changed)).not.toBe(tag);
        expect(tagOf(changed)).toBe(tagOf(await ask('GET', shown)));
      }
      expect([412, 404]).toContain((await change({ 'if-match': tag })).status);
    });
});

test('of changes with the same ETag at the same time one is made', async () => {
  for (const name of ['changeToken', 'setProject', 'setUser', 'changeLogin', 'setMember'] as const) {
    const { shown, path, body } = await make(name);
    const headers = { 'if-match': tagOf(await ask('GET', shown)) };
    const method = endpoints[name].method.toUpperCase();
    const bodies = Array.from({ length: 6 }, (_, n) =>
      name === 'setMember' ? { role: ['manager', 'member'][n % 2] } : body(),
    );
    const answers = await Promise.all(bodies.map(each => ask(method, path, each, headers)));
    const statuses = answers.map(({ status }) => status).sort();
    expect([name, statuses]).toEqual([name, [200, 412, 412, 412, 412, 412]]);
  }
});

test('of puts that create the same at the same time one does', async () => {
  for (const path of ['/projects/born', '/users/born', '/projects/born/members/born']) {
    const body = path.includes('members') ? { role: 'viewer' } : {};
    const puts = Array.from({ length: 6 }, () => ask('PUT', path, body, { 'if-none-match': '*' }));
    const statuses = (await Promise.all(puts)).map(({ status }) => status).sort();
    expect([path, statuses]).toEqual([path, [200, 412, 412, 412, 412, 412]]);
  }
  // A token makes its project, which a put then does not create.
  const [put] = await Promise.all([
    ask('PUT', '/projects/both', { weight: 2 }, { 'if-none-match': '*' }),
    control.issue({ name: 'n', project: 'both' }),
  ]);
  const weight = ((await ask('GET', '/projects/both')).body as { weight: number | null }).weight;
  expect([put.status, weight]).toEqual(put.status === 412 ? [412, null] : [200, 2]);
});

test('a change within a setting is another ETag', async () => {
  const put = (requestsPerMinute: number) =>
    ask('PUT', '/projects/nested', { limits: { requestsPerMinute } });
  const tags = [tagOf(await put(1)), tagOf(await put(2)), tagOf(await put(1))];
  expect(tags[0]).not.toBe(tags[1]);
  expect(tags[2]).toBe(tags[0]);
});

test('a put with an ETag of something that does not exist creates nothing', async () => {
  for (const header of ['*', '"x"'])
    expect((await ask('PUT', '/projects/never', {}, { 'if-match': header })).status).toBe(412);
  expect((await ask('GET', '/projects/never')).status).toBe(404);
});

test('the use of a service account changes its ETag for reading, and not for changing', async () => {
  const created = await ask('POST', '/accounts', { name: 'a', role: 'admin', expiresAt: inDays(1) });
  const { id, token: secret } = created.body as { id: string; token: string };
  const tag = tagOf(created);
  expect(tagOf(await ask('GET', `/accounts/${id}`))).toBe(tag);
  await control.api('GET', '/session', undefined, secret);
  const used = await ask('GET', `/accounts/${id}`, undefined, { 'if-none-match': tag });
  expect([used.status, tagOf(used) === tag]).toEqual([200, false]);
  expect((await ask('DELETE', `/accounts/${id}`, undefined, { 'if-match': tag })).status).toBe(204);
});

test('the tag of a provider changes with a secret, which the answer does not show', async () => {
  const provider = (value: string) => ({ kind: 'openai', apiKey: { value } });
  const first = await ask('PUT', '/providers/rotated', provider('sk-first'));
  const again = await ask('PUT', '/providers/rotated', provider('sk-first'));
  expect(tagOf(again)).toBe(tagOf(first));
  const second = await ask('PUT', '/providers/rotated', provider('sk-second'));
  expect(second.body).toEqual(first.body);
  const late = await ask('PUT', '/providers/rotated', provider('sk-late'), { 'if-match': tagOf(first) });
  expect(late.status).toBe(412);
  expect(tagOf(await ask('GET', '/providers/rotated'))).toBe(tagOf(second));
});
