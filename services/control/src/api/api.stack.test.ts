import {
  type IssuedToken,
  issuedToken,
  ownToken,
  problem,
  projectInfo,
  projectPage,
  tokenPage,
  userInfo,
  userPage,
} from '@model-gateway/admin-api';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod/mini';
import { mostRefusals } from '../people/credential-checks.ts';
import { adminToken, type TestControl } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';
import { openApi } from './openapi/document.ts';

const catalog = `
providers:
  - { name: house, kind: ollama, apiKey: { value: secret-by-value } }
  - { name: claude, kind: anthropic }
models:
  - { name: fast, targets: [ { provider: house, model: m }, { provider: house, model: n } ] }
  - { name: "any/*", targets: [ { provider: claude, model: "*" }, { provider: house, model: m } ] }
`;

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  control = await stage.control(await stage.withCatalog(catalog), { clock, proxies: ['127.0.0.1'] });
});
afterAll(() => stage.clear());

describe('POST /tokens', () => {
  test('returns a token with its secret, which is not listed later', async () => {
    const expiresAt = '2100-01-31T12:00:00+02:00';
    const { status, headers, body } = await control.api('POST', '/tokens', {
      name: 'ci',
      project: 'lab',
      expiresAt,
    });
    const issued = body as IssuedToken;
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'ci',
      project: 'lab',
      owner: null,
      prefix: issued.token?.slice(0, 11),
      token: expect.stringMatching(/^sk-[\w-]{43}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      expiresAt: '2100-01-31T10:00:00.000Z',
      lastUsedAt: null,
      disabled: false,
      models: null,
      endpoints: null,
      allowedAddresses: null,
      limits: null,
      budget: null,
      tags: {},
    });
    expect(JSON.stringify(await control.tokens())).not.toContain(issued.token);
  });

  test('accepts null for optional fields', async () => {
    expect(await control.issue({ name: 'n', project: null, expiresAt: null })).toMatchObject({
      project: 'default',
      expiresAt: null,
    });
  });

  test.each<[string, unknown, string | null, string]>([
    ['no body', undefined, 'name', 'missing_required_parameter'],
    ['invalid JSON', '{"name":', null, 'invalid_request'],
    ['a list', [], null, 'invalid_type'],
    ['a string', '"name"', null, 'invalid_request'],
    ['no name', {}, 'name', 'missing_required_parameter'],
    ['a number for a name', { name: 1 }, 'name', 'invalid_type'],
    ['null for a name', { name: null }, 'name', 'invalid_type'],
    ['an empty name', { name: '' }, 'name', 'invalid_value'],
    ['a long name', { name: 'x'.repeat(201) }, 'name', 'string_above_max_length'],
    ['a name that SQL cannot hold', { name: 'a\0b' }, 'name', 'invalid_value'],
    ['a zero-width space', { name: 'a\u200bb' }, 'name', 'invalid_value'],
    ['a bidirectional override', { name: 'a', project: 'x\u202ey' }, 'project', 'invalid_value'],
    ['a lone surrogate', '{"name":"a\\ud800"}', 'name', 'invalid_value'],
    ['an unknown field', { name: 'a', scope: 1 }, 'scope', 'unknown_parameter'],
    ['an empty project', { name: 'a', project: '' }, 'project', 'invalid_value'],
    ['a time in the past', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'invalid_value'],
    [
      'a day that does not exist',
      { name: 'a', expiresAt: '2100-02-30T00:00:00Z' },
      'expiresAt',
      'invalid_value',
    ],
    ['a time without a zone', { name: 'a', expiresAt: '2100-01-01T00:00:00' }, 'expiresAt', 'invalid_value'],
    ['a time without seconds', { name: 'a', expiresAt: '2100-01-01T00:00Z' }, 'expiresAt', 'invalid_value'],
    ['a date', { name: 'a', expiresAt: '2100-01-01' }, 'expiresAt', 'invalid_value'],
    ['seconds since 1970', { name: 'a', expiresAt: 4_102_444_800 }, 'expiresAt', 'invalid_type'],
  ])('refuses %s', async (_name, sent, param, code) => {
    expect(refusalOf(await control.api('POST', '/tokens', sent))).toMatchObject({ status: 400, param, code });
  });

  test('refuses a body whose content type is not JSON', async () => {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const answer = await fetch(`${control.url}/api/v1/tokens`, {
      method: 'POST',
      headers,
      body: '{"name":"a"}',
    });
    expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([415, 'nosniff']);
    expect(await answer.json()).toMatchObject({
      code: 'unsupported_content_type',
      detail: expect.stringContaining('Set the header Content-Type: application/json'),
    });
  });

  test('refuses more than 64 kB', async () => {
    const refused = refusalOf(await control.api('POST', '/tokens', { name: 'x'.repeat(70_000) }));
    expect(refused).toMatchObject({ status: 413, param: null, code: 'request_too_large' });
  });
});

describe('the admin API', () => {
  test('refuses a request without a token', async () => {
    const answer = await control.api('GET', '/tokens', undefined, '');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(refusalOf(answer)).toMatchObject({ param: null, code: 'authentication_required' });
  });

  test.each(['nonsense', 'sk-nobody', `${adminToken}x`])('refuses the token %s', async token => {
    const refused = refusalOf(await control.api('GET', '/tokens', undefined, token));
    expect(refused).toMatchObject({ status: 401, code: 'invalid_api_key' });
  });

  test("refuses a client's token with 401 once it is revoked", async () => {
    const { id, token } = await control.issue();
    await control.api('DELETE', `/tokens/${id}`);
    expect((await control.api('GET', '/tokens', undefined, token)).status).toBe(401);
  });
});

describe('GET /token', () => {
  const ask = (token: string) => control.api('GET', '/token', undefined, token);

  test('returns the token of the caller and the models that it may use', async () => {
    const expiresAt = '2100-01-31T10:00:00.000Z';
    const { id, token } = await control.issue({ name: 'mine', project: 'lab', expiresAt });
    const { status, headers, body } = await ask(token);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      id,
      name: 'mine',
      project: 'lab',
      owner: null,
      expiresAt,
      endpoints: null,
      allowedAddresses: null,
      limits: null,
      budget: null,
      limitsLeft: [],
      budgetsLeft: [],
      tags: {},
      models: [
        {
          name: 'fast',
          context: null,
          price: null,
          operations: ['generate', 'embed'],
          providers: ['house'],
          formats: ['chat'],
        },
        {
          name: 'any/*',
          context: null,
          price: null,
          operations: ['generate', 'embed'],
          providers: ['claude', 'house'],
          formats: ['messages', 'chat'],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toMatch(/secret|sk-|127\.0\.0\.1/);
  });

  test('returns null as the expiry of a token that never expires', async () => {
    expect((await ask((await control.issue()).token)).body).toMatchObject({ expiresAt: null });
  });

  test('refuses a missing token, a wrong one, the admin token and a revoked one', async () => {
    const { id, token } = await control.issue();
    await control.api('DELETE', `/tokens/${id}`);
    const none = await ask('');
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(refusalOf(none)).toMatchObject({ code: 'authentication_required' });
    for (const wrong of ['sk-nobody', adminToken, token]) {
      expect(refusalOf(await ask(wrong))).toEqual({
        status: 401,
        message: 'Incorrect API key provided.',
        param: null,
        code: 'invalid_api_key',
      });
    }
  });

  test('refuses a token from the moment it expires', async () => {
    const { token } = await control.issue({
      name: 'n',
      expiresAt: new Date(clock.now() + 3_600_000).toISOString(),
    });
    clock.jump(3_500_000);
    expect((await ask(token)).status).toBe(200);
    clock.jump(100_000);
    expect(refusalOf(await ask(token))).toMatchObject({ status: 401, message: 'This API key has expired.' });
  });
});

test.each([
  ['POST', '/token', 405, 'GET, HEAD'],
  ['GET', '/nowhere', 404, null],
  ['GET', '/tokens/a/b', 404, null],
  ['PUT', '/tokens', 405, 'GET, HEAD, POST'],
  ['PUT', '/tokens/a', 405, 'GET, HEAD, PATCH, DELETE'],
  ['DELETE', '/tokens/a', 404, null],
  ['DELETE', '/tokens/%00', 404, null],
  ['DELETE', '/tokens/%E0%A4', 400, null],
  ['DELETE', '/tokens/00000000-0000-4000-8000-000000000000', 404, null],
])('%s %s gets %d', async (method, path, expected, allow) => {
  const answer = await control.api(method, path);
  expect([refusalOf(answer).status, answer.headers.get('allow')]).toEqual([expected, allow]);
});

test('the OpenAPI document is for everyone', async () => {
  const [read, posted] = await Promise.all(
    ['GET', 'POST'].map(method => fetch(`${control.url}/openapi.json`, { method })),
  );
  expect([read?.status, await read?.json()]).toEqual([200, JSON.parse(JSON.stringify(openApi()))]);
  expect([posted?.status, posted?.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('the OpenAPI document is not sent again to a client that has it', async () => {
  const url = `${control.url}/openapi.json`;
  const first = await fetch(url);
  const tag = first.headers.get('etag') as string;
  await first.arrayBuffer();
  // fetch would ask for a new copy.
  const cached = { 'cache-control': 'max-age=0' };
  const again = await fetch(url, { headers: { ...cached, 'if-none-match': tag } });
  expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, tag, '']);
  const other = await fetch(url, { headers: { ...cached, 'if-none-match': '"other"' } });
  expect([other.status, (await other.arrayBuffer()).byteLength > 100_000]).toEqual([200, true]);
});

describe('an address that guesses credentials', () => {
  const guesses = (path: string, from: string) =>
    Promise.all(
      Array.from({ length: mostRefusals.atOnce + 20 }, async (_, i) => {
        const headers = { authorization: `Bearer guess-${i}`, 'x-forwarded-for': from };
        const response = await fetch(`${control.url}/api/v1${path}`, { headers });
        return { status: response.status, body: await response.json(), headers: response.headers };
      }),
    );

  test.each([
    ['/tokens', '192.0.2.7'],
    ['/token', '192.0.2.8'],
  ])(
    'at %s is refused for a while, and its valid credentials and other addresses are not',
    async (path, from) => {
      const { token } = await control.issue();
      const mine = path === '/token' ? token : adminToken;
      const ask = async (secret: string, address: string) => {
        const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': address };
        return (await control.answered(fetch(`${control.url}/api/v1${path}`, { headers }))).status;
      };
      expect(await ask(mine, from)).toBe(200);
      const answers = await guesses(path, from);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.body).toMatchObject({ code: 'too_many_attempts' });
      expect(refused?.headers.get('retry-after')).toBe('1');
      expect(await ask(mine, from)).toBe(200);
      expect(await ask('guess', '192.0.2.9')).toBe(401);
    },
  );
});

test('an empty body does not clear the settings of a project', async () => {
  await control.api('PUT', '/projects/full', { weight: 2 });
  const { status, body } = await control.api('PUT', '/projects/full', undefined);
  expect([status, (body as { code: string }).code]).toEqual([400, 'invalid_type']);
  expect((await control.api('GET', '/projects/full')).body).toMatchObject({ weight: 2 });
});

test('the contract declares every field of the responses', async () => {
  const { body: issued } = await control.api('POST', '/tokens', { name: 'whole' });
  const { token } = issued as { token: string };
  const bodies: [z.ZodMiniType, unknown][] = [
    [issuedToken, issued],
    [tokenPage, (await control.api('GET', '/tokens')).body],
    [ownToken, (await control.api('GET', '/token', undefined, token)).body],
    [projectInfo, (await control.api('PUT', '/projects/default', { weight: 2 })).body],
    [projectPage, (await control.api('GET', '/projects')).body],
    [userInfo, (await control.api('PUT', '/users/ada', {})).body],
    [userPage, (await control.api('GET', '/users')).body],
    [problem, (await control.api('GET', '/tokens', undefined, '')).body],
  ];
  for (const [shape, body] of bodies) expect(shape.parse(body)).toEqual(body);
});

test('every response has a unique request id', async () => {
  const answers = await Promise.all([
    control.api('GET', '/tokens'),
    control.api('GET', '/nowhere'),
    control.api('GET', '/tokens', undefined, ''),
    control.api('POST', '/tokens', '{'),
  ]);
  const ids = answers.map(answer => answer.headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
});
