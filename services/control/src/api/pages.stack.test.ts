import { type EndpointName, endpoints } from '@model-gateway/admin-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  await control.api('PUT', '/projects/lab', {});
});
afterAll(() => stage.clear());

interface Page {
  data: Record<string, string>[];
  next: string | null;
}
const get = async (path: string) => (await control.api('GET', path)).body as Page;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Reads a list to its end, in pages of two; `meanwhile` runs after the first. */
async function inTwos(path: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor = ''; ; cursor = `&cursor=${pages.at(-1)?.next}`) {
    pages.push(await get(`${path}${path.includes('?') ? '&' : '?'}limit=2${cursor}`));
    if (pages.at(-1)?.next === null) return pages;
    if (pages.length === 1) await meanwhile();
  }
}
const valuesOf = (pages: Page[], field: string) => pages.flatMap(({ data }) => data.map(item => item[field]));

const lists: [EndpointName, string][] = Object.entries(endpoints).flatMap(([name, { path }]) =>
  name.startsWith('list')
    ? [[name as EndpointName, path.replace('{name}', 'lab').slice('/api/v1'.length)]]
    : [],
);

test('there are the lists that the document names', () => {
  expect(lists.length).toBeGreaterThanOrEqual(9);
});

test.each(lists)('%s has pages, whose cursors are those of this list alone', async (name, path) => {
  const other = name === 'listTokens' ? 'listUsers' : 'listTokens';
  const place = name === 'listTokens' ? 'ada' : [1, '019a0000-0000-7000-8000-000000000000'];
  const foreign = Buffer.from(JSON.stringify([other, place])).toString('base64url');
  for (const cursor of ['', 'x', '0', foreign, Buffer.from(JSON.stringify([name, {}])).toString('base64url')])
    expect(refusalOf(await control.api('GET', `${path}?cursor=${cursor}`))).toEqual({
      ...{ status: 400, code: 'invalid_value', param: 'cursor' },
      message: 'cursor: is not the next of a page of this list.',
    });
  expect(refusalOf(await control.api('GET', `${path}?limit=1001`)).param).toBe('limit');
  expect(refusalOf(await control.api('GET', `${path}?before=1`)).param).toBe('before');
  expect(endpoints[name]).toHaveProperty('query');
});

describe('pages', () => {
  test('of tokens hold each once, newest first, while others are made and revoked', async () => {
    const ids: string[] = [];
    // Of the same moment, since one transaction would make them so.
    for (let n = 0; n < 7; n++) ids.unshift((await control.issue({ name: `n${n}`, project: 'paged' })).id);
    const pages = await inTwos('/tokens?project=paged', async () => {
      await control.issue({ name: 'late', project: 'paged' });
      // The last of the first page, which its cursor names, and one of the second.
      for (const id of [ids[1], ids[3]]) await control.api('DELETE', `/tokens/${id}`);
    });
    expect(valuesOf(pages, 'id')).toEqual(ids.filter((_, n) => n !== 3));
    expect(pages.map(({ data }) => data.length)).toEqual([2, 2, 2]);
  });

  test('of projects, users and members are by name, whatever its language', async () => {
    const names = ['Zoe', 'anna', 'bert', 'Émile', '日本', 'a b', 'a-b'];
    const sorted = [...names].sort();
    for (const name of names) {
      const path = encodeURIComponent(name);
      await control.api('PUT', `/users/${path}`, {});
      await control.api('PUT', `/projects/${path}`, {});
      await control.api('PUT', `/projects/lab/members/${path}`, { role: name < 'a' ? 'viewer' : 'member' });
    }
    expect(valuesOf(await inTwos('/users'), 'name')).toEqual([...sorted, 'admin'].sort());
    expect(valuesOf(await inTwos('/projects'), 'name')).toEqual([...names, 'lab', 'paged'].sort());
    expect(valuesOf(await inTwos('/projects/lab/members'), 'user')).toEqual(sorted);
    expect(valuesOf(await inTwos('/projects/lab/members?role=viewer'), 'user')).toEqual(['Zoe']);
    const gone = await inTwos('/users', () =>
      control.api('DELETE', `/users/${encodeURIComponent(sorted[1] as string)}`),
    );
    expect(valuesOf(gone, 'name')).toEqual([...sorted, 'admin'].sort());
  });

  test('of providers are in the order of the catalog', async () => {
    const names = ['z', 'y', 'x', 'a', 'b'];
    for (const name of names) await control.api('PUT', `/providers/${name}`, { kind: 'openai' });
    const gone = await inTwos('/providers', () => control.api('DELETE', '/providers/y'));
    expect(valuesOf(gone, 'name')).toEqual(names);
    expect(valuesOf(await inTwos('/providers?managedBy=api'), 'name')).toEqual(['z', 'x', 'a', 'b']);
    expect(valuesOf(await inTwos('/providers?managedBy=file'), 'name')).toEqual([]);
  });

  test('of service accounts are newest first, and filtered by role', async () => {
    const ids: string[] = [];
    for (const role of ['admin', 'viewer', 'admin', 'viewer', 'admin']) {
      const projects = role === 'admin' ? [] : ['lab'];
      const { body } = await control.api('POST', '/accounts', {
        name: role,
        role,
        projects,
        expiresAt: inDays(1),
      });
      ids.unshift((body as { id: string }).id);
    }
    expect(valuesOf(await inTwos('/accounts'), 'id')).toEqual(ids);
    expect(valuesOf(await inTwos('/accounts?role=viewer'), 'id')).toEqual([ids[1], ids[3]]);
    expect((await control.api('GET', `/accounts/${ids[0]}`)).body).toMatchObject({
      id: ids[0],
      role: 'admin',
    });
    expect((await control.api('GET', '/accounts/nobody')).status).toBe(404);
  });
});

describe('tokens', () => {
  test.each<[string, string[]]>([
    ['project=lab', ['plain', 'Search']],
    ['owner=ada', ['Search']],
    ['name=PLA', ['plain']],
    ['name=earch', ['research', 'Search']],
    ['disabled=true', ['plain']],
    ['disabled=false&project=lab', ['Search']],
    ['tag=team:search', ['research', 'Search']],
    ['tag=team:search&tag=env:prod', ['research']],
    [`expiresBefore=${encodeURIComponent(inDays(2))}`, ['research']],
    ['owner=nobody', []],
    ['project=nowhere', []],
  ])('are found by %s', async (query, names) => {
    if ((await get('/tokens?name=research')).data.length === 0) await make();
    const found = await get(`/tokens?${query}`);
    expect(found.data.map(({ name }) => name)).toEqual(names);
  });

  async function make(): Promise<void> {
    await control.issue({ name: 'Search', project: 'lab', owner: 'ada', tags: { team: 'search' } });
    const plain = await control.issue({ name: 'plain', project: 'lab', expiresAt: inDays(9) });
    await control.api('PATCH', `/tokens/${plain.id}`, { disabled: true });
    const tags = { team: 'search', env: 'prod' };
    await control.issue({ name: 'research', project: 'other', tags, expiresAt: inDays(1) });
  }

  test('are shown one by one', async () => {
    const { token: _, ...issued } = await control.issue({ name: 'one' });
    expect((await control.api('GET', `/tokens/${issued.id}`)).body).toEqual(issued);
    await control.api('DELETE', `/tokens/${issued.id}`);
    expect(refusalOf(await control.api('GET', `/tokens/${issued.id}`))).toMatchObject({
      code: 'token_not_found',
    });
  });

  test('refuse filters that are wrong, and name each', async () => {
    const { body } = await control.api(
      'GET',
      '/tokens?disabled=maybe&tag=x&expiresBefore=soon&owner=&colour=red',
    );
    const { code, errors } = body as { code: string; errors: { path: string }[] };
    expect(code).toBe('invalid_request');
    expect(errors.map(({ path }) => path).sort()).toEqual([
      'colour',
      'disabled',
      'expiresBefore',
      'owner',
      'tag',
    ]);
  });
});

test('the title of a problem is its code in words', async () => {
  const { body } = await control.api('GET', '/nothing');
  expect(body).toMatchObject({ code: 'unknown_url', title: 'Unknown URL' });
});

test('an invalid body is refused with every invalid field', async () => {
  const { status, body } = await control.api('POST', '/tokens', {
    project: '',
    expiresAt: '2020-01-01T00:00:00Z',
    allowedAddresses: ['10.0.0.0/8', 'everywhere', 'x'],
    limits: { requestsPerMinute: -1, models: { 'gpt-5': { requestsPerMinute: 0 } } },
    colour: 'red',
    shape: 'round',
  });
  const { errors, detail, ...problem } = body as { errors: object[]; detail: string };
  expect([status, problem]).toEqual([
    400,
    {
      type: 'urn:model-gateway:problem:invalid_request',
      title: 'Invalid request',
      status: 400,
      code: 'invalid_request',
      requestId: expect.stringMatching(/^req_/),
    },
  ]);
  const zero = { message: 'must be greater than zero', code: 'invalid_value' };
  expect(errors).toHaveLength(9);
  expect(errors).toEqual(
    expect.arrayContaining([
      { path: 'name', message: 'is required', code: 'missing_required_parameter' },
      { path: 'project', message: 'must not be empty', code: 'invalid_value' },
      { path: 'expiresAt', message: 'must be in the future', code: 'invalid_value' },
      { path: 'allowedAddresses[1]', message: expect.any(String), code: 'invalid_value' },
      { path: 'allowedAddresses[2]', message: expect.any(String), code: 'invalid_value' },
      { path: 'limits.requestsPerMinute', ...zero },
      { path: 'limits.models["gpt-5"].requestsPerMinute', ...zero },
      { path: 'colour', message: 'is not a known field', code: 'unknown_parameter' },
      { path: 'shape', message: 'is not a known field', code: 'unknown_parameter' },
    ]),
  );
  expect(detail).toContain('name: is required; ');
});

test('a problem names a hundred fields at most', async () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field${n}`, n]));
  const { errors, detail } = (await control.api('PUT', '/projects/lab', fields)).body as {
    errors: object[];
    detail: string;
  };
  expect([errors.length, detail]).toEqual([100, expect.stringMatching(/; and 290 more\.$/)]);
});
