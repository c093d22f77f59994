import { writeFileSync } from 'node:fs';
import type {
  AppliedCatalog,
  AuditEntry,
  CatalogDocument,
  ModelInfo,
  ProviderInfo,
} from '@model-gateway/admin-api';
import type { Catalog } from '@model-gateway/catalog';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import { type Answer, type TestControl, until } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let control: TestControl;
let catalog: Catalog;
let env: { GATEWAY_DATA: string; GATEWAY_CONFIG: string };
const text = catalogText('of-file', 'projects: [ { name: stated, weight: 2 } ]');
beforeAll(async () => {
  stage = await Stage.set();
  env = await stage.withCatalog(text);
  control = await stage.control(env);
  catalog = await stage.catalog();
});
// Each test begins with what gateway.yaml states, and nothing else.
afterEach(async () => {
  writeFileSync(env.GATEWAY_CONFIG, text);
  const weight = () => catalog.envelopeToken({ id: '', project: 'stated' }).weight;
  await until(() => catalog.model('of-file') !== undefined && weight() === 2);
  await apply({ providers: [], models: [] }, '?prune=true');
  for (const path of ['/projects/lab', '/users/ada']) await control.api('DELETE', path);
});
afterAll(() => stage.clear());

const apply = async (document: unknown, query = ''): Promise<AppliedCatalog> => {
  const answer = await control.api('PUT', `/catalog${query}`, document);
  expect([answer.status, answer.body]).toMatchObject([200, {}]);
  return answer.body as AppliedCatalog;
};
const list = ({ changes }: AppliedCatalog) =>
  changes.map(({ kind, name, change }) => `${change} ${kind} ${name}`);
const current = async () => (await control.api('GET', '/catalog')).body as CatalogDocument;
const refusal = (answer: Answer) => {
  const { status, code, param, message } = refusalOf(answer);
  return [status, code, param, message];
};

const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };
const proxy = { url: 'http://127.0.0.1:2', username: 'u', password: { value: 'secret-of-proxy' } };
const document = {
  providers: [{ name: 'p', ...local, apiKey: { value: 'sk-of-document' }, proxy }],
  models: [
    { name: 'b', targets: [{ provider: 'p', model: 'b' }], price: { input: 1 } },
    { name: 'a', targets: [{ provider: 'house', model: 'a' }], fallbacks: ['b', 'of-file'] },
  ],
  projects: [
    { name: 'lab', weight: 3 },
    { name: 'stated', weight: 2 },
  ],
  users: [{ name: 'ada', budget: { amount: 5, period: 'day' } }],
};

test('a document creates, changes and deletes, and applied again it changes nothing', async () => {
  const dry = await apply(document, '?dryRun=true');
  const created = [
    'created provider p',
    'created model b',
    'created model a',
    'created project lab',
    'unchanged project stated',
    'created user ada',
  ];
  expect([dry.dryRun, list(dry)]).toEqual([true, created]);
  for (const field of ['apiKey.value', 'proxy.password.value'])
    expect(dry.changes[0]?.fields).toContainEqual({ field, before: null, after: '(secret)' });
  expect(await current()).not.toMatchObject({ models: [{}, {}] });
  expect(list(await apply(document))).toEqual(created);
  const turned = { ...document, models: document.models.toReversed() };
  expect((await apply(turned)).changes.filter(({ change }) => change !== 'unchanged')).toEqual([]);
  expect(catalog.models().map(({ name }) => name)).toEqual(['of-file', 'b', 'a']);
  await apply(turned, '?prune=true');
  expect(catalog.models().map(({ name }) => name)).toEqual(['of-file', 'a', 'b']);
  await apply(document, '?prune=true');
  expect(catalog.models().map(({ name }) => name)).toEqual(['of-file', 'b', 'a']);
  expect(catalog.budgetOf('lab')).toBeUndefined();
  expect(catalog.userBudgetOf('ada')).toEqual({ amount: 5, period: 'day' });
  expect(new Set(list(await apply(document)).map(text => text.split(' ')[0]))).toEqual(
    new Set(['unchanged']),
  );
  const exported = await current();
  expect(JSON.stringify(exported)).not.toMatch(/sk-of-document|secret-/);
  expect(exported.providers.map(({ name, apiKey }) => [name, apiKey])).toEqual([
    ['house', { set: true }],
    ['openai', { env: 'OPENAI_API_KEY' }],
    ['p', { set: true }],
  ]);
  expect(
    (await apply(exported, '?prune=true')).changes.filter(({ change }) => change !== 'unchanged'),
  ).toEqual([]);

  const [b, a] = document.models;
  const changed = {
    ...document,
    models: [{ ...a, targets: [{ provider: 'house', model: 'other' }], fallbacks: ['of-file'] }],
    users: [],
  };
  const applied = await apply(changed, '?prune=true');
  expect(list(applied)).toEqual([
    'unchanged provider p',
    'changed model a',
    'deleted model b',
    'unchanged project lab',
    'unchanged project stated',
    'changed user ada',
  ]);
  expect(applied.changes[1]?.fields).toEqual([
    { field: 'targets[0].model', before: 'a', after: 'other' },
    { field: 'fallbacks.rateLimit', before: ['b', 'of-file'], after: ['of-file'] },
    { field: 'fallbacks.outage', before: ['b', 'of-file'], after: ['of-file'] },
  ]);
  await vi.waitFor(() => expect(catalog.models().map(({ name }) => name)).toEqual(['of-file', 'a']));
  await until(() => catalog.userBudgetOf('ada') === undefined);
  const acts = ((await control.api('GET', '/audit?action=applyCatalog')).body as { data: AuditEntry[] }).data;
  expect(acts.map(({ subjectKind, subject, after }) => [subjectKind, subject, after === null])).toEqual([
    ['user', 'ada', false],
    ['model', 'b', true],
    ['model', 'a', false],
    ['user', 'ada', false],
    ['project', 'lab', false],
    ['model', 'a', false],
    ['model', 'b', false],
    ['provider', 'p', false],
  ]);
  expect(b?.name).toBe('b');
});

test('a document that does not fit changes nothing, and every problem is named', async () => {
  const bad = {
    ...document,
    models: [...document.models, { name: 'c', targets: [{ provider: 'no', model: 'c' }], retries: 9 }],
  };
  expect(refusal(await control.api('PUT', '/catalog', bad))).toEqual([
    400,
    'invalid_value',
    'models[2].retries',
    'models[2].retries: must be at most 5; models[2].targets[0].provider: "no" is not the name of a provider.',
  ]);
  const other = { ...document, projects: [{ name: 'stated', weight: 7 }] };
  expect(refusal(await control.api('PUT', '/catalog', other))).toMatchObject([
    409,
    'managed_by_file',
    'projects[0]',
    expect.stringMatching(/^The project "stated" is managed by .*, line 7\. Change it there, or /),
  ]);
  const ofFile = { ...document, models: [{ name: 'of-file', targets: [{ provider: 'p', model: 'x' }] }] };
  expect(refusal(await control.api('PUT', '/catalog', ofFile))).toMatchObject([
    409,
    'managed_by_file',
    'models[0]',
    expect.stringMatching(/^The model "of-file" is managed by .*, line 6\. Change it there, or /),
  ]);
  const reference = { providers: [{ name: 'q', kind: 'openai', apiKey: { env: 'X' } }], models: [] };
  expect(refusal(await control.api('PUT', '/catalog', reference))[2]).toBe('providers[0].apiKey');
  const pruned = await control.api('PUT', '/catalog?prune=true', { models: [] });
  expect(refusal(pruned)[3]).toBe('providers: is required.');
  expect(refusal(await control.api('PUT', '/catalog?prune=yes', document))[2]).toBe('prune');
  expect((await current()).models).toHaveLength(1);
  expect(catalog.models().map(({ name }) => name)).toEqual(['of-file']);
});

test('a document may have more than a megabyte, and a larger one is refused', async () => {
  const models = Array.from({ length: 2_500 }, (_, at) => ({
    name: `model-${at}-${'y'.repeat(180)}`,
    targets: [{ provider: 'house', model: 'x'.repeat(200) }],
  }));
  expect(JSON.stringify(models).length).toBeGreaterThan(1_000_000);
  expect((await apply({ providers: [], models }, '?dryRun=true')).changes).toHaveLength(2_500);
  const large = { providers: [], models: 'x'.repeat(5_000_000) };
  expect(refusal(await control.api('PUT', '/catalog', large))).toMatchObject([
    413,
    'request_too_large',
    null,
    'The body is larger than 4096 kB.',
  ]);
});

test('a document that would change more than 1,000 users is refused before it changes one', async () => {
  const users = Array.from({ length: 1_001 }, (_, n) => ({
    name: `user-${n}`,
    budget: { amount: 1, period: 'day' },
  }));
  const answer = await control.api('PUT', '/catalog', { providers: [], models: [], users });
  expect(refusal(answer)).toEqual([
    ...[400, 'invalid_value', 'users'],
    'users: at most 1000 of them may change at once. Apply them in parts.',
  ]);
  expect((await current()).users).toEqual([]);
});

test('an entry of gateway.yaml has one owner: one of the API is no entry of the file, until it is deleted', async () => {
  await apply(document);
  const withProvider = catalogText('of-file').replace('models:', '  - { name: p, kind: anthropic }\nmodels:');
  writeFileSync(env.GATEWAY_CONFIG, withProvider);
  await until(() => control.notices().length > 0);
  expect(control.notices()).toEqual([
    `${env.GATEWAY_CONFIG}, line 5: the provider "p" is of the database, so this file is not applied. Remove it from the file, or delete it by the API`,
  ]);
  expect(catalog.provider('p')?.kind).toBe('openai-compatible');
  await control.stop();
  control = await stage.control(env);
  expect([control.problems(), control.notices().length]).toEqual([[], 1]);
  expect(catalog.provider('p')?.kind).toBe('openai-compatible');
  writeFileSync(env.GATEWAY_CONFIG, catalogText('of-file'));
  await until(() => control.notices().length === 0);
});

test('a provider and a model move from gateway.yaml to the database as they are, but not what the API may not name', async () => {
  const show = async (path: string) => (await control.api('GET', path)).body as ProviderInfo | ModelInfo;
  const adopt = (kind: string, name: string) => control.api('POST', '/catalog/adopt', { kind, name });
  const [provider, model] = [await show('/providers/house'), await show('/models/of-file')];
  const place = { file: env.GATEWAY_CONFIG, line: 3 };
  expect(provider).toMatchObject({ managedBy: 'file', place });
  const { version = 0 } = catalog.provider('house') ?? {};
  expect((await adopt('provider', 'house')).body).toEqual({ kind: 'provider', name: 'house', place });
  expect((await adopt('model', 'of-file')).status).toBe(200);
  const moved = { managedBy: 'api', place: null };
  expect(await show('/providers/house')).toEqual({ ...provider, ...moved });
  expect(await show('/models/of-file')).toEqual({ ...model, ...moved });
  expect(catalog.provider('house')?.version).toBeGreaterThan(version);
  expect(catalog.model('of-file')?.model.targets).toEqual([{ provider: 'house', model: 'qwen3' }]);
  expect(refusal(await adopt('provider', 'openai')).slice(0, 3)).toEqual([400, 'invalid_value', 'apiKey']);
  expect(await show('/providers/openai')).toMatchObject({ managedBy: 'file' });
  expect(refusal(await adopt('provider', 'none')).slice(0, 2)).toEqual([404, 'provider_not_found']);
  // What the file still states is told at once, and comes back with the file once the database has it no more.
  await until(() => control.notices().length === 2);
  await apply({ providers: [], models: [] }, '?prune=true');
  await until(() => control.notices().length === 0);
  expect(await show('/models/of-file')).toMatchObject({ managedBy: 'file' });
});

test('a file without what an entry of the API uses is applied, and the entry says what it lacks', async () => {
  await apply(document);
  const withoutHouse = 'providers: [ { name: openai, kind: openai } ]\nmodels: []';
  writeFileSync(env.GATEWAY_CONFIG, withoutHouse);
  await until(() => catalog.provider('house') === undefined);
  expect(control.problems()).toEqual([]);
  const { problems } = (await control.api('GET', '/models/a')).body as ModelInfo;
  expect(problems.sort()).toEqual([
    'fallbacks.outage[1]: "of-file" is not the name of a model',
    'fallbacks.rateLimit[1]: "of-file" is not the name of a model',
    'targets[0].provider: "house" is not the name of a provider',
  ]);
  // Other entries can still be changed, and control starts with them.
  expect((await control.api('PUT', '/providers/other', local)).status).toBe(200);
  await control.stop();
  control = await stage.control(env);
  expect(catalog.models().map(({ name }) => name)).toEqual(['b', 'a']);
  expect((await control.api('DELETE', '/models/a')).status).toBe(204);
});

test('an entry that NATS could not take is refused, as if it were sent alone', async () => {
  const targets = Array.from({ length: 10_000 }, (_, n) => ({ provider: 'house', model: `model-${n}` }));
  const models = [
    { name: 'small', targets: targets.slice(0, 1) },
    { name: 'large', targets },
  ];
  expect(refusal(await control.api('PUT', '/catalog', { providers: [], models }))).toEqual([
    ...[400, 'invalid_value', 'models[1]'],
    'models[1]: must have at most 256 kB as JSON.',
  ]);
  expect((await control.api('PUT', '/models/large', { targets })).status).toBe(413);
});
