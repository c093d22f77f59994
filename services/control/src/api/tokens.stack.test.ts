import { createHash } from 'node:crypto';
import type { IssuedToken, TokenInfo } from '@model-gateway/admin-api';
import { UsageWriter } from '@model-gateway/bus';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import type { TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage, untilKnown } from '../testing/stage.ts';
import { usageRecord } from '../testing/usage-record.ts';

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
let access: Awaited<ReturnType<Stage['access']>>;
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  control = await stage.control(
    await stage.withCatalog(
      catalogText('fast', '  - { name: slow, targets: [ { provider: house, model: qwen3 } ] }'),
    ),
    { clock },
  );
  access = await stage.access();
});
afterAll(() => stage.clear());

const scopes = {
  owner: 'ada',
  models: ['fa*'],
  endpoints: ['chat', 'messages'],
  allowedAddresses: ['127.0.0.0/8', '::1'],
  limits: { requestsPerMinute: 5, models: { 'fa*': { concurrency: 1 } } },
  budget: { amount: 2.5, period: 'month', endsStreams: true },
  tags: { team: 'search' },
};
const none = {
  models: null,
  endpoints: null,
  allowedAddresses: null,
  limits: null,
  budget: null,
  tags: {},
  owner: null,
};

test('a token has scopes, limits, a budget, an owner and tags, which its holder sees', async () => {
  const { token, ...issued } = await control.issue({ name: 'one', ...scopes });
  expect(issued).toMatchObject({ ...scopes, disabled: false, lastUsedAt: null });
  expect((await control.tokens()).find(({ id }) => id === issued.id)).toEqual(issued);
  expect(await untilKnown(access, token)).toMatchObject(scopes);
  const own = (await control.api('GET', '/token', undefined, token)).body as { models: { name: string }[] };
  const budget = {
    ...{ of: 'token', ...scopes.budget, spent: 0, reserved: 0, left: 2.5 },
    resetsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
  };
  // No process counts.
  expect(own).toMatchObject({
    ...{ ...scopes, limitsLeft: null, budgetsLeft: [budget] },
    models: [{ name: 'fast' }],
  });
});

test.each<[string, object, string]>([
  ['a pattern with two stars', { models: ['a*b*'] }, 'models[0]'],
  ['a model that is no text', { models: ['a', 1] }, 'models[1]'],
  ['an unknown endpoint', { endpoints: ['chat', 'telnet'] }, 'endpoints[1]'],
  ['an address that is none', { allowedAddresses: ['::1', 'localhost'] }, 'allowedAddresses[1]'],
  ['a range that is none', { allowedAddresses: ['10.0.0.0/40'] }, 'allowedAddresses[0]'],
  ['a limit of 0', { limits: { requestsPerMinute: 0 } }, 'limits.requestsPerMinute'],
  ['half a request', { limits: { concurrency: 1.5 } }, 'limits.concurrency'],
  ['an unknown limit', { limits: { requestsPerHour: 1 } }, 'limits.requestsPerHour'],
  ['a budget of 0', { budget: { amount: 0, period: 'day' } }, 'budget.amount'],
  ['a budget without a period', { budget: { amount: 1 } }, 'budget.period'],
  ['an unknown period', { budget: { amount: 1, period: 'year' } }, 'budget.period'],
  ['a tag that is no text', { tags: { a: 1 } }, 'tags.a'],
  [
    'tags of 5 kB',
    { tags: Object.fromEntries(Array.from({ length: 25 }, (_, n) => [n, 'x'.repeat(200)])) },
    'tags',
  ],
  ['a hash that is none', { sha256: 'abc' }, 'sha256'],
])('%s is refused with its path', async (_, settings, param) => {
  const created = await control.api('POST', '/tokens', { name: 'x', ...settings });
  expect(refusalOf(created)).toMatchObject({ status: 400, param });
  if ('sha256' in settings) return;
  const { id } = await control.issue();
  expect(refusalOf(await control.api('PATCH', `/tokens/${id}`, settings))).toMatchObject({
    status: 400,
    param,
  });
});

test('a name that is no key is refused in the words of the name', async () => {
  const limits = { models: { 'a*b*': { concurrency: 1 } } };
  const refused = await control.api('POST', '/tokens', { name: 'x', limits });
  expect(refusalOf(refused)).toMatchObject({
    status: 400,
    param: 'limits.models["a*b*"]',
    message: 'limits.models["a*b*"]: must hold at most one *.',
  });
});

test('a tag or a model that is named __proto__ is refused, not left out', async () => {
  for (const [param, text] of [
    ['tags.__proto__', '{"name":"x","tags":{"a":"b","__proto__":"c"}}'],
    ['limits.models.__proto__', '{"name":"x","limits":{"models":{"__proto__":{"concurrency":1}}}}'],
  ] as const)
    expect(refusalOf(await control.api('POST', '/tokens', text))).toMatchObject({
      status: 400,
      param,
      message: `${param}: is a name that cannot be used.`,
    });
});

test('limits of more models than a list of scopes may hold are refused', async () => {
  const limitsOf = (count: number) => ({
    models: Object.fromEntries(Array.from({ length: count }, (_, n) => [`model-${n}`, { concurrency: 1 }])),
  });
  const refused = {
    status: 400,
    param: 'limits.models',
    message: 'limits.models: must hold at most 1000 entries.',
  };
  const many = { name: 'many', limits: limitsOf(1_001) };
  expect(refusalOf(await control.api('POST', '/tokens', many))).toMatchObject(refused);
  expect(refusalOf(await control.api('PUT', '/projects/many', { limits: many.limits }))).toMatchObject(
    refused,
  );
  const most = await control.api('POST', '/tokens', { name: 'most', limits: limitsOf(1_000) });
  expect(most.status).toBe(201);
});

describe('PATCH /tokens/{id}', () => {
  test('changes what it names, and null removes it', async () => {
    const { id, token, ...before } = await control.issue({ name: 'one', ...scopes });
    const change = async (body: object) =>
      (await control.api('PATCH', `/tokens/${id}`, body)).body as TokenInfo;
    expect(await change({ name: 'two', models: ['slow'] })).toEqual({
      ...before,
      id,
      name: 'two',
      models: ['slow'],
    });
    expect(await untilKnown(access, token)).toMatchObject({ name: 'two', models: ['slow'] });
    const expiresAt = '2100-01-01T00:00:00.000Z';
    expect(await change({ ...none, tags: null, expiresAt })).toMatchObject({
      ...none,
      name: 'two',
      expiresAt,
    });
    const known = access.check(token, Date.now());
    expect(known).not.toHaveProperty('models');
    expect(known.expiresAt).toBe(Date.parse(expiresAt));
    expect(await change({ expiresAt: null })).toMatchObject({ expiresAt: null });
  });

  test('moves a token to another project', async () => {
    const { id, token } = await control.issue({ name: 'one', project: 'from' });
    await untilKnown(access, token);
    const moved = await control.api('PATCH', `/tokens/${id}`, { project: 'to' });
    expect(moved).toMatchObject({ status: 200, body: { id, project: 'to' } });
    await expect.poll(() => access.check(token, Date.now()).project).toBe('to');
    expect((await control.api('GET', '/projects/to')).status).toBe(200);
    const refused = await control.api('PATCH', `/tokens/${id}`, { project: null });
    expect(refusalOf(refused)).toMatchObject({ status: 400, param: 'project' });
  });

  test('disables a token and enables it again', async () => {
    const { id, token } = await control.issue();
    await untilKnown(access, token);
    await control.api('PATCH', `/tokens/${id}`, { disabled: true });
    expect(() => access.check(token, Date.now())).toThrow('This API key is disabled.');
    expect((await control.api('GET', '/token', undefined, token)).status).toBe(401);
    expect((await control.api('GET', '/tokens', undefined, token)).status).toBe(401);
    await control.api('PATCH', `/tokens/${id}`, { disabled: false });
    expect(access.check(token, Date.now()).id).toBe(id);
  });

  test('answers 404 for a token that is revoked or unknown', async () => {
    const { id } = await control.issue();
    await control.api('DELETE', `/tokens/${id}`);
    for (const wrong of [id, '00000000-0000-4000-8000-000000000000', 'x'])
      expect(refusalOf(await control.api('PATCH', `/tokens/${wrong}`, { name: 'y' }))).toMatchObject({
        status: 404,
        code: 'token_not_found',
      });
    await control.api('PATCH', `/tokens/${id}`, { project: 'of nobody', owner: 'nobody' });
    expect((await control.api('GET', '/projects/of%20nobody')).status).toBe(404);
    expect((await control.api('GET', '/users/nobody')).status).toBe(404);
  });
});

describe('POST /tokens/{id}/rotate', () => {
  const rotate = async (id: string, body: object = {}) => {
    const { status, body: rotated } = await control.api('POST', `/tokens/${id}/rotate`, body);
    expect(status).toBe(200);
    return rotated as IssuedToken & { token: string };
  };

  test('gives a new secret, and the old one works for the grace period', async () => {
    const { id, token } = await control.issue({ name: 'one', ...scopes });
    await untilKnown(access, token);
    const rotated = await rotate(id, { graceSeconds: 60 });
    expect(rotated).toMatchObject({ id, name: 'one', ...scopes, prefix: rotated.token.slice(0, 11) });
    expect(rotated.token).not.toBe(token);
    expect(access.check(rotated.token, Date.now())).toMatchObject({ id, models: ['fa*'], expiresAt: null });
    expect(access.check(token, Date.now())).toMatchObject({ id, models: ['fa*'] });
    expect((await control.api('GET', '/token', undefined, token)).status).toBe(200);
    expect(() => access.check(token, Date.now() + 61_000)).toThrow();
    expect(access.check(rotated.token, Date.now() + 61_000).id).toBe(id);
  });

  test('an old secret ends at control after its grace period', async () => {
    const { id, token } = await control.issue();
    const rotated = await rotate(id, { graceSeconds: 1 });
    const statusOf = async (secret: string) => (await control.api('GET', '/token', undefined, secret)).status;
    await expect.poll(() => statusOf(token)).toBe(401);
    expect(await statusOf(rotated.token)).toBe(200);
  });

  test('ends the old secret at once without a grace period, and earlier ones too', async () => {
    const { id, token } = await control.issue();
    const second = await rotate(id, { graceSeconds: 600 });
    const third = await rotate(id);
    for (const old of [token, second.token]) expect(() => access.check(old, Date.now())).toThrow();
    expect(access.check(third.token, Date.now()).id).toBe(id);
  });

  test('a change or a revocation holds for both secrets', async () => {
    const { id, token } = await control.issue();
    const rotated = await rotate(id, { graceSeconds: 600 });
    await control.api('PATCH', `/tokens/${id}`, { models: ['slow'] });
    for (const secret of [token, rotated.token])
      expect(access.check(secret, Date.now()).models).toEqual(['slow']);
    await control.api('DELETE', `/tokens/${id}`);
    for (const secret of [token, rotated.token])
      expect(() => access.check(secret, Date.now())).toThrow('Incorrect API key provided.');
    expect((await control.api('POST', `/tokens/${id}/rotate`, {})).status).toBe(404);
  });

  test.each([-1, 1.5, 31 * 86_400, 'day'])('refuses %j as the grace period', async graceSeconds => {
    const { id } = await control.issue();
    expect(refusalOf(await control.api('POST', `/tokens/${id}/rotate`, { graceSeconds }))).toMatchObject({
      status: 400,
      param: 'graceSeconds',
    });
  });
});

test('a key that another gateway issued is imported by its SHA-256, once', async () => {
  const secret = 'key of another gateway'.replaceAll(' ', '-');
  const sha256 = createHash('sha256').update(secret).digest('hex').toUpperCase();
  const { status, body } = await control.api('POST', '/tokens', {
    name: 'imported',
    sha256,
    models: ['fast'],
  });
  expect([status, body]).toMatchObject([
    201,
    { name: 'imported', token: null, prefix: `sha256:${sha256.slice(0, 8).toLowerCase()}` },
  ]);
  expect(await untilKnown(access, secret)).toMatchObject({ name: 'imported', models: ['fast'] });
  expect((await control.api('GET', '/tokens', undefined, secret)).status).toBe(403);
  const refused = {
    status: 400,
    param: 'sha256',
    code: 'token_exists',
    message: 'sha256: is that of a token that exists or was revoked.',
  };
  const again = async () => refusalOf(await control.api('POST', '/tokens', { name: 'again', sha256 }));
  expect(await again()).toMatchObject(refused);
  await control.api('DELETE', `/tokens/${(body as TokenInfo).id}`);
  expect(await again()).toMatchObject(refused);
});

test('a token that is created disabled may not be used until it is enabled', async () => {
  const sha256 = createHash('sha256').update('key-that-was-blocked').digest('hex');
  const { status, body } = await control.api('POST', '/tokens', { name: 'blocked', sha256, disabled: true });
  expect([status, body]).toMatchObject([201, { disabled: true }]);
  expect((await control.tokens()).find(({ name }) => name === 'blocked')).toMatchObject({ disabled: true });
  const entries = await stage.read('access');
  const stored = [...entries.values()].find(value => (value as TokenInfo).name === 'blocked');
  expect(stored).toMatchObject({ disabled: true });
  await control.api('PATCH', `/tokens/${(body as TokenInfo).id}`, { disabled: false });
  expect(await untilKnown(access, 'key-that-was-blocked')).toMatchObject({ name: 'blocked' });
});

test('the last use of a token is known to the minute, from the usage ledger', async () => {
  const { id } = await control.issue();
  const writer = new UsageWriter(stage.bus);
  const record = (n: number, at: string) => usageRecord(n, { tokenId: id, at: Date.parse(at) });
  const lastUsedAt = async () => (await control.tokens()).find(token => token.id === id)?.lastUsedAt;
  writer.add(record(1, '2026-03-01T10:20:30Z'));
  const untilUsedAt = (time: string) => eventually(clock, async () => expect(await lastUsedAt()).toBe(time));
  await untilUsedAt('2026-03-01T10:20:00.000Z');
  writer.add(record(2, '2026-03-01T10:19:59Z'));
  writer.add(record(3, '2026-03-01T10:21:01Z'));
  await untilUsedAt('2026-03-01T10:21:00.000Z');
  await writer.close();
});
