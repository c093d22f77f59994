import {
  type AuditEntry,
  catalogDocument,
  type ModelInfo,
  modelInfo,
  modelList,
  modelSettings,
  type ProviderInfo,
  priceList,
  providerInfo,
  providerList,
  providerSettings,
  settingList,
} from '@model-gateway/admin-api';
import { type Catalog, PoolSealer, unsealProvider } from '@model-gateway/catalog';
import { PoolKeys } from '@model-gateway/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod/mini';
import { catalogText } from '../testing/catalog.ts';
import { type Answer, type TestControl, until } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
let catalog: Catalog;
let data: { GATEWAY_DATA: string };
beforeAll(async () => {
  stage = await Stage.set();
  const env = await stage.withCatalog(catalogText('of-file'));
  data = env;
  control = await stage.control({ ...env, GATEWAY_API_REFERENCES: 'TEAM_*,/run/secrets/*' });
  catalog = await stage.catalog();
});
afterAll(() => stage.clear());

const put = (path: string, body: unknown) => control.api('PUT', path, body);
const get = async (path: string) => (await control.api('GET', path)).body;
const refusal = (answer: Answer) => {
  const { status, code, param, message } = refusalOf(answer);
  return [status, code, param, message];
};
const codes = (answer: Answer) => refusal(answer).slice(0, 2);
/** Opens the secrets of the providers of a pool. */
const sealerOf = (pool: string) => new PoolSealer(new PoolKeys(data).of(pool));
const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };

describe('a provider of the API', () => {
  test('is shown without its secrets, and is sealed in KV and in the audit log', async () => {
    const secrets = { apiKey: { value: 'sk-of-the-api' }, headers: { 'x-org': 'secret-of-org' } };
    const { status, body } = await put('/providers/mine', { ...local, ...secrets });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...local,
      name: 'mine',
      managedBy: 'api',
      place: null,
      problems: [],
      apiKey: { set: true },
      headers: { 'x-org': { set: true } },
      pool: 'default',
      api: null,
    });
    const stored = catalog.provider('mine');
    if (!stored) throw new Error('KV lacks the provider');
    const { version: _, ...plain } = stored;
    expect(unsealProvider(sealerOf('default'), plain)).toMatchObject(secrets);
    const seen = [body, stored, await get('/providers'), await get('/audit'), await get('/catalog')];
    expect(JSON.stringify(seen)).not.toMatch(/sk-of-the-api|secret-of-org/);
    const acts = (await get('/audit?action=setProvider&subject=mine')) as { data: AuditEntry[] };
    expect(acts.data[0]).toMatchObject({ before: null, after: { name: 'mine', apiKey: '(secret)' } });
  });

  test('keeps the secrets that are sent back as shown, but not at another address', async () => {
    const headers = { 'x-team': 'secret-of-team' };
    await put('/providers/kept', { ...local, apiKey: { value: 'sk-kept' }, headers });
    const shown = (await get('/providers/kept')) as ProviderInfo;
    const { apiKey } = shown;
    const again = { ...local, apiKey, headers: shown.headers, pool: 'far' };
    expect(await put('/providers/kept', again)).toMatchObject({ status: 200, body: { pool: 'far', apiKey } });
    const { version: _, ...stored } = catalog.provider('kept') ?? { version: 0 };
    expect(unsealProvider(sealerOf('far'), stored as never)).toMatchObject({
      apiKey: { value: 'sk-kept' },
      headers,
    });
    const moved = { ...again, baseUrl: 'http://127.0.0.1:2/v1' };
    const reason = 'must be given again, because kind or baseUrl changes';
    expect(refusal(await put('/providers/kept', moved))).toEqual([
      400,
      'invalid_value',
      'apiKey',
      `apiKey, headers["x-team"]: ${reason}.`,
    ]);
    expect(await put('/providers/kept', local)).toMatchObject({ body: { apiKey: null, headers: {} } });
    const none = 'apiKey: must be given: no secret is stored that could be kept.';
    expect(refusal(await put('/providers/kept', { ...local, apiKey }))[3]).toBe(none);
  });

  test('keeps API keys under new names, at other places, and where one becomes several', async () => {
    const kept = (from?: string) => ({ set: true, ...(from && { from }) });
    const keysOf = async (body: object) => {
      expect((await put('/providers/keys', { ...local, ...body })).status).toBe(200);
      const { version: _, ...stored } = catalog.provider('keys') ?? { version: 0 };
      const { apiKey, apiKeys } = unsealProvider(sealerOf('default'), stored as never);
      return apiKeys?.map(({ name, key }) => [name, Object.values(key)[0]]) ?? apiKey;
    };
    await keysOf({ apiKey: { value: 'sk-a' } });
    const second = { key: { value: 'sk-b' }, name: 'b' };
    expect(await keysOf({ apiKeys: [{ key: kept() }, second] })).toEqual([
      [undefined, 'sk-a'],
      ['b', 'sk-b'],
    ]);
    const moved = [
      { key: kept('b'), name: 'team-b' },
      { key: kept('1'), name: 'team-a' },
    ];
    expect(await keysOf({ apiKeys: moved })).toEqual([
      ['team-b', 'sk-b'],
      ['team-a', 'sk-a'],
    ]);
    expect(await keysOf({ apiKeys: [{ key: kept(), name: 'team-a' }] })).toEqual([['team-a', 'sk-a']]);
    expect(await keysOf({ apiKey: kept('team-a') })).toEqual({ value: 'sk-a' });
    const gone = await put('/providers/keys', { ...local, apiKeys: [{ key: kept('team-a') }] });
    expect(refusal(gone).slice(2)).toEqual([
      'apiKeys[0].key',
      'apiKeys[0].key: must be given: no secret is stored that could be kept.',
    ]);
    const elsewhere = { ...local, baseUrl: 'http://127.0.0.1:2/v1', apiKey: kept('1') };
    expect(refusal(await put('/providers/keys', elsewhere))[3]).toContain('must be given again');
  });

  test('names only the variables and files of workers that the setting allows', async () => {
    const withKey = (apiKey: object) => put('/providers/referring', { ...local, apiKey });
    for (const apiKey of [{ env: 'TEAM_KEY' }, { file: '/run/secrets/key' }])
      expect(await withKey(apiKey)).toMatchObject({ status: 200, body: { apiKey } });
    for (const apiKey of [{ env: 'GATEWAY_MASTER_KEY' }, { file: '/run/secrets/../../etc/passwd' }])
      expect(refusal(await withKey(apiKey))).toMatchObject([
        400,
        'invalid_value',
        'apiKey',
        expect.stringContaining('GATEWAY_API_REFERENCES does not allow it'),
      ]);
  });

  test('is checked by the rules of gateway.yaml, with their messages', async () => {
    const messages = async (body: unknown) => refusal(await put('/providers/odd', body)).slice(2);
    expect(await messages({ kind: 'nothing' })).toEqual([
      'kind',
      expect.stringMatching(/^kind: must be one of /),
    ]);
    expect(await messages({ kind: 'openai-compatible' })).toEqual([
      'baseUrl',
      'baseUrl: is required for the kind openai-compatible.',
    ]);
    expect(await messages({ ...local, batch: 0, colour: 'red' })).toEqual([
      'batch',
      'batch: must be greater than zero; colour: is not a known field.',
    ]);
    expect(await messages({ ...local, name: 'other' })).toEqual([
      'name',
      'name: must be the name in the path.',
    ]);
    expect(await messages({ ...local, headers: { 'x-a': 'a\0b' } })).toEqual([
      'headers.x-a',
      'headers.x-a: must not contain NUL or lone surrogates.',
    ]);
    const deep = `{"kind":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(refusal(await control.api('PUT', '/providers/odd', deep))[3]).toMatch(/is nested too deeply/);
    expect(codes(await put('/providers/odd', []))).toEqual([400, 'invalid_type']);
    expect(refusal(await put('/providers/%20', local))[2]).toBe('name');
    expect((await control.api('GET', '/providers/odd')).status).toBe(404);
  });
});

describe('a model of the API', () => {
  test('must fit the catalog, comes after those of the file, and is removed from KV', async () => {
    const targets = [{ provider: 'nobody', model: 'm' }];
    expect(refusal(await put('/models/m', { targets }))).toEqual([
      400,
      'invalid_value',
      'targets[0].provider',
      'targets[0].provider: "nobody" is not the name of a provider.',
    ]);
    const fit = { targets: [{ provider: 'house', model: 'm' }], timeouts: { firstToken: '1500ms' } };
    expect(refusal(await put('/models/m', { ...fit, fallbacks: ['m', 'no'] }))[3]).toBe(
      'fallbacks[0]: is the model itself; fallbacks[1]: "no" is not the name of a model.',
    );
    const { status, body } = await put('/models/m', { ...fit, fallbacks: ['of-file'], price: { input: 1 } });
    expect([status, body]).toMatchObject([
      200,
      {
        timeouts: { firstToken: '1500ms', total: '30m' },
        fallbacks: { outage: ['of-file'] },
        price: { input: 1 },
      },
    ]);
    expect(catalog.models().map(({ name }) => name)).toEqual(['of-file', 'm']);
    expect(
      ((await get('/models')) as { data: ModelInfo[] }).data.map(each => [
        each.name,
        each.place?.line ?? null,
      ]),
    ).toEqual([
      ['of-file', 6],
      ['m', null],
    ]);
    expect((await control.api('DELETE', '/models/m')).status).toBe(204);
    await until(() => catalog.model('m') === undefined);
    expect(codes(await control.api('DELETE', '/models/m'))).toEqual([404, 'model_not_found']);
  });

  test('can be put as it is shown, under a name with a slash', async () => {
    const body = {
      targets: [{ provider: 'house', model: '*', weight: 1 }],
      hedgeAfter: '2s',
      drop: ['user'],
    };
    const first = await put('/models/a%2F*', body);
    const { managedBy, place, problems, createdAt, operations, ...settings } = first.body as ModelInfo;
    expect([managedBy, place, problems, operations]).toEqual([
      'api',
      null,
      [],
      expect.arrayContaining(['generate', 'embed']),
    ]);
    expect(await put('/models/a%2F*', settings)).toMatchObject({ status: 200, body: first.body as object });
    expect(catalog.model('a/b')?.model.version).toBe(catalog.model('a/c')?.model.version);
    const acts = (await get('/audit?action=setModel&subject=a/*')) as { data: AuditEntry[] };
    expect(acts.data).toHaveLength(1);
    await control.api('DELETE', '/models/a%2F*');
  });

  test('keeps what it uses from being deleted', async () => {
    await put('/providers/used', local);
    await put('/models/one', { targets: [{ provider: 'used', model: 'x' }] });
    await put('/models/two', { targets: [{ provider: 'used', model: 'y' }], fallbacks: ['one'] });
    expect(refusal(await control.api('DELETE', '/providers/used'))).toEqual([
      409,
      'entry_in_use',
      null,
      'The provider cannot be deleted: the models "one", "two" use it as a target. Change or delete them first.',
    ]);
    expect(refusal(await control.api('DELETE', '/models/one'))[3]).toBe(
      'The model cannot be deleted: the model "two" names it as a fallback. Change or delete it first.',
    );
    for (const path of ['/models/two', '/models/one', '/providers/used'])
      expect((await control.api('DELETE', path)).status).toBe(204);
    await until(() => catalog.provider('used') === undefined);
  });
});

describe('an entry of gateway.yaml', () => {
  test('is shown with its place, and can only be repeated', async () => {
    expect(await get('/providers/house')).toMatchObject({
      managedBy: 'file',
      place: { file: expect.stringMatching(/gateway\.yaml$/), line: 3 },
      apiKey: { set: true },
    });
    const same = { ...local, apiKey: { set: true } };
    expect((await put('/providers/house', same)).status).toBe(200);
    const changed = await put('/providers/house', { ...same, pool: 'far' });
    expect(refusal(changed).slice(0, 3)).toEqual([409, 'managed_by_file', null]);
    expect(refusal(changed)[3]).toMatch(
      /^The provider "house" is managed by .*gateway.yaml, line 3\. Change it there, or move it to the database by: gateway adopt provider "house"$/,
    );
    expect(codes(await control.api('DELETE', '/providers/house'))).toEqual([409, 'managed_by_file']);
    expect(codes(await control.api('DELETE', '/models/of-file'))).toEqual([409, 'managed_by_file']);
  });
});

test('the contract declares every field of the responses, and takes what gateway.yaml may hold', async () => {
  const settings = {
    targets: [{ provider: 'house', model: 'm', weight: 1, price: { input: 1 } }],
    ...{ strategy: 'weighted', retries: 1, fallbacks: { contextLength: ['of-file'] }, affinity: false },
    ...{ hedgeAfter: '2s', timeouts: { firstToken: '1s', idle: '2s', total: '3s' }, price: { output: 1 } },
    ...{ limits: { context: 1, maxOutput: 1 }, realtime: { voice: 'ash' }, drop: ['user'] },
  };
  expect(modelSettings.parse(settings)).toEqual(settings);
  expect((await put('/models/whole', settings)).status).toBe(200);
  const whole = { ...local, api: ['chat'], batch: 2, apiKey: { value: 'k' }, headers: { a: 'b' }, pool: 'p' };
  expect(providerSettings.parse(whole)).toEqual(whole);
  expect((await put('/providers/whole', whole)).status).toBe(200);
  const bodies: [z.ZodMiniType, unknown][] = [
    [modelInfo, await get('/models/whole')],
    [modelList, await get('/models')],
    [providerInfo, await get('/providers/whole')],
    [providerList, await get('/providers')],
    [catalogDocument, await get('/catalog')],
    [priceList, await get('/prices')],
    [settingList, await get('/settings')],
  ];
  for (const [shape, body] of bodies) expect(shape.parse(body)).toEqual(body);
});
